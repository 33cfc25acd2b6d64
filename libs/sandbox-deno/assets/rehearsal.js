import { openRehearsal } from '@code-executor/sandbox-channel/assets/channel.js';
import { Program } from './program.js';
import { createToolGlobals } from './tool-globals.js';

/** So many calls until V8 has made them about as fast as they get; they take some three milliseconds. */
const calls = 200;

/** A spare has time to do what is slow the first time: programs and calls of our own, of which nothing is sent. */
export async function rehearse() {
  await Program.rehearse();
  const { callMCPTool } = createToolGlobals(openRehearsal());
  await Promise.all(Array.from({ length: 10 }, () => callMCPTool('rehearsal')));
  for (let call = 0; call < calls; call++) await callMCPTool('rehearsal', { text: 'x' });
}
