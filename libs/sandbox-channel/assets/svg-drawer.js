import { HostError } from './channel.js';

// Taken before the program runs, so that its changes to the globals do not matter here.
const { Blob, URL } = globalThis;
const { fromBase64 } = Uint8Array;
/** The renderer parses the whole text, so it needs more memory for longer ones. */
const maxSvgChars = 4 * 1024 * 1024;
/** The longest side of a picture, in pixels; larger ones are scaled down. Models see no more detail than this. */
const maxSide = 2048;
const family = 'DejaVu Sans';
const families = Object.fromEntries(
  ['default', 'serif', 'sansSerif', 'cursive', 'fantasy', 'monospace'].map((kind) => [
    kind === 'default' ? 'defaultFontFamily' : `${kind}Family`,
    family,
  ]),
);
/** Namespaces that documents for browsers may leave out, but XML parsers require. */
const namespaces = [
  ['xmlns', 'http://www.w3.org/2000/svg', 'svg'],
  ['xmlns:xlink', 'http://www.w3.org/1999/xlink', 'xlink:'],
];

/** Draws SVG as PNG. The renderer is loaded for the first picture only, so that other programs need not wait. */
export class SvgDrawer {
  #channel;
  #files;
  #renderer;

  constructor(channel) {
    this.#channel = channel;
  }

  /** Returns the bytes of a PNG; rejects with a `HostError` if the SVG is invalid or too large. */
  async draw(svg) {
    if (svg.length > maxSvgChars) {
      const size = `An SVG has at most ${maxSvgChars} characters, not ${svg.length}`;
      throw new HostError({ code: 'resource_exhausted', message: `${size}; draw fewer details.` });
    }
    const { Resvg, fonts } = await (this.#renderer ??= this.#start());
    try {
      return render(Resvg, withNamespaces(svg), fonts);
    } catch (error) {
      // A renderer that ran out of memory or stack cannot be used again.
      if (error instanceof WebAssembly.RuntimeError) this.#renderer = undefined;
      const message = `The SVG cannot be drawn: ${error?.message ?? error}`;
      throw new HostError({ code: 'invalid_argument', message });
    }
  }

  /** Creates a new renderer, because each import of a new URL creates a new module. */
  async #start() {
    const { module, wasm, fonts } = await (this.#files ??= this.#load());
    const { initWasm, Resvg } = await import(URL.createObjectURL(module));
    await initWasm(wasm);
    return { Resvg, fonts };
  }

  async #load() {
    const [module, wasm, ...fonts] = await Promise.all(
      ['module', 'wasm', 'regular', 'bold'].map((file) => this.#read(file)),
    );
    return { module: new Blob([module], { type: 'text/javascript' }), wasm, fonts };
  }

  async #read(file) {
    const parts = [];
    for (let start = 0; ;) {
      const { part, isLast } = await this.#channel.request('svgRenderer', { file, start });
      parts.push(fromBase64(part));
      start += parts.at(-1).length;
      if (isLast) return new Uint8Array(await new Blob(parts).arrayBuffer());
    }
  }
}

function render(Resvg, svg, fontBuffers) {
  const options = { background: 'white', font: { fontBuffers, ...families } };
  let image = new Resvg(svg, options);
  const { width, height } = image;
  if (Math.max(width, height) > maxSide) {
    image.free();
    const mode = width > height ? 'width' : 'height';
    image = new Resvg(svg, { ...options, fitTo: { mode, value: maxSide } });
  }
  const rendered = image.render();
  const png = rendered.asPng();
  rendered.free();
  image.free();
  return png;
}

function withNamespaces(svg) {
  const start = svg.search(/<svg[\s/>]/);
  const end = svg.indexOf('>', start);
  const root = svg.slice(start, end);
  const missing = namespaces.filter(
    ([name, , use]) => !new RegExp(`\\s${name}\\s*=`).test(root) && svg.includes(use),
  );
  const added = missing.map(([name, value]) => ` ${name}="${value}"`).join('');
  const place = start + '<svg'.length;
  return start === -1 ? svg : svg.slice(0, place) + added + svg.slice(place);
}
