const names =
  'addEventListener alert atob btoa callMCPTool clearImmediate clearInterval clearTimeout close ' +
  'closed confirm console createImageBitmap crypto decodeURI decodeURIComponent discoverMCPTools ' +
  'dispatchEvent display encodeURI encodeURIComponent escape fetch getParent getToolSchema ' +
  'getToolTypes global globalThis hasOwnProperty isFinite isNaN isPrototypeOf isStreamBase location ' +
  'name navigator onbeforeunload onerror onload onunhandledrejection onunload parseFloat parseInt ' +
  'performance process prompt propertyIsEnumerable queueMicrotask removeEventListener reportError ' +
  'searchTools self setImmediate setInterval setTimeout structuredClone toLocaleString toString ' +
  'tools unescape valueOf';

/** The globals of programs that a host call must not be named after. A test compares them with those of a real program. */
export const programGlobals: ReadonlySet<string> = new Set(names.split(' '));
