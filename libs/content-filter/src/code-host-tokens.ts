import { alphanumeric, base64Url, hex, word } from './characters.js';
import type { TokenShape } from './token-pattern.js';

/** Tokens of Git hosts, package registries and build services. */
export const codeHostTokens: readonly TokenShape[] = [
  {
    name: 'github_token',
    finds: 'GitHub tokens (ghp_, gho_, ghu_, ghs_, ghr_, github_pat_)',
    prefixes: ['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_', 'github_pat_'],
    of: word,
    min: 30,
    isMixed: true,
    longFrom: 36,
  },
  {
    name: 'gitlab_token',
    finds: 'GitLab tokens (glpat- and its relatives)',
    prefixes: [
      'glpat-',
      'gldt-',
      'glrt-',
      'glrtr-',
      'glcbt-',
      'glptt-',
      'glft-',
      'glsoat-',
      'glimt-',
      'glagent-',
    ],
    of: base64Url,
    min: 20,
    isMixed: true,
    hasDots: true,
  },
  {
    name: 'npm_token',
    finds: 'npm access tokens (npm_)',
    prefixes: ['npm_'],
    of: alphanumeric,
    min: 36,
  },
  {
    name: 'pypi_token',
    finds: 'PyPI API tokens (pypi-)',
    prefixes: ['pypi-AgE'],
    of: base64Url,
    min: 30,
  },
  {
    name: 'rubygems_key',
    finds: 'RubyGems API keys (rubygems_)',
    prefixes: ['rubygems_'],
    of: hex,
    min: 40,
  },
  {
    name: 'docker_token',
    finds: 'Docker Hub access tokens (dckr_pat_, dckr_oat_)',
    prefixes: ['dckr_pat_', 'dckr_oat_'],
    of: base64Url,
    min: 24,
  },
  {
    name: 'atlassian_token',
    finds: 'Atlassian API tokens (ATATT3x, ATCTT3x)',
    prefixes: ['ATATT3x', 'ATCTT3x'],
    of: base64Url,
    min: 50,
  },
];
