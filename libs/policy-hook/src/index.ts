export { createPolicyHook, type PolicyHookOptions } from './policy-hook.js';
