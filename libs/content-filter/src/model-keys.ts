import { alphanumeric, base64Url, hex } from './characters.js';
import type { TokenShape } from './token-pattern.js';

/** Keys of services that run language models. The first shape that fits gives the name. */
export const modelKeys: readonly TokenShape[] = [
  {
    name: 'anthropic_key',
    finds: 'Anthropic API keys (sk-ant-)',
    prefixes: ['sk-ant-'],
    of: base64Url,
    min: 20,
    isMixed: true,
  },
  {
    name: 'openrouter_key',
    finds: 'OpenRouter API keys (sk-or-v1-)',
    prefixes: ['sk-or-v1-'],
    of: hex,
    min: 40,
  },
  {
    name: 'openai_key',
    finds: 'OpenAI API keys and other keys that begin with sk-',
    prefixes: ['sk-proj-', 'sk-svcacct-', 'sk-admin-', 'sk-None-', 'sk-lf-'],
    of: base64Url,
    min: 20,
    isMixed: true,
  },
  {
    name: 'openai_key',
    finds: 'OpenAI API keys and other keys that begin with sk-',
    prefixes: ['sk-'],
    of: alphanumeric,
    min: 20,
    isMixed: true,
    longFrom: 32,
    rest: base64Url,
  },
  {
    name: 'huggingface_token',
    finds: 'Hugging Face tokens (hf_)',
    prefixes: ['hf_'],
    of: alphanumeric,
    min: 30,
    isMixed: true,
  },
  {
    name: 'groq_key',
    finds: 'Groq API keys (gsk_)',
    prefixes: ['gsk_'],
    of: alphanumeric,
    min: 40,
    isMixed: true,
  },
  {
    name: 'perplexity_key',
    finds: 'Perplexity API keys (pplx-)',
    prefixes: ['pplx-'],
    of: alphanumeric,
    min: 40,
    isMixed: true,
  },
  {
    name: 'xai_key',
    finds: 'xAI API keys (xai-)',
    prefixes: ['xai-'],
    of: alphanumeric,
    min: 60,
    isMixed: true,
  },
  {
    name: 'replicate_token',
    finds: 'Replicate tokens (r8_)',
    prefixes: ['r8_'],
    of: alphanumeric,
    min: 35,
    isMixed: true,
  },
];
