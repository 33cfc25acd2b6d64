import { alphanumeric, alphanumericDash, authorization, base64Url, hex, pathSegments } from './characters.js';
import type { TokenShape } from './token-pattern.js';

/** Keys of chat, payment and mail services, and what HTTP requests carry. */
export const serviceKeys: readonly TokenShape[] = [
  {
    name: 'slack_token',
    finds: 'Slack tokens (xoxb-, xoxp-, xapp- and their relatives)',
    prefixes: ['xoxb-', 'xoxp-', 'xoxa-', 'xoxr-', 'xoxs-', 'xoxc-', 'xoxd-', 'xoxe-', 'xoxe.xox', 'xapp-'],
    of: alphanumericDash,
    min: 20,
    isMixed: true,
    rest: authorization,
  },
  {
    name: 'slack_webhook',
    finds: 'addresses of Slack webhooks',
    prefixes: ['hooks.slack.com/services/', 'hooks.slack.com/workflows/', 'hooks.slack.com/triggers/'],
    of: pathSegments,
    min: 30,
    isMixed: true,
    keepsPrefix: true,
  },
  {
    name: 'discord_webhook',
    finds: 'addresses of Discord webhooks',
    prefixes: ['discord.com/api/webhooks/', 'discordapp.com/api/webhooks/'],
    of: pathSegments,
    min: 60,
    isMixed: true,
    keepsPrefix: true,
  },
  {
    name: 'stripe_key',
    finds: 'Stripe secret and restricted keys (sk_live_, rk_live_, sk_test_) and webhook secrets (whsec_)',
    prefixes: ['sk_live_', 'sk_test_', 'rk_live_', 'rk_test_', 'whsec_'],
    of: alphanumeric,
    min: 16,
    isMixed: true,
    longFrom: 32,
  },
  {
    name: 'twilio_key',
    finds: 'Twilio API keys (SK)',
    prefixes: ['SK'],
    of: hex,
    min: 32,
    isExact: true,
    isMixed: true,
  },
  {
    name: 'shopify_token',
    finds: 'Shopify tokens (shpat_, shpca_, shppa_, shpss_)',
    prefixes: ['shpat_', 'shpca_', 'shppa_', 'shpss_'],
    of: hex,
    min: 32,
  },
  {
    name: 'linear_key',
    finds: 'Linear API keys (lin_api_)',
    prefixes: ['lin_api_'],
    of: alphanumeric,
    min: 32,
  },
  {
    name: 'notion_token',
    finds: 'Notion tokens (ntn_)',
    prefixes: ['ntn_'],
    of: alphanumeric,
    min: 40,
    isMixed: true,
  },
  {
    name: 'sentry_token',
    finds: 'Sentry tokens (sntrys_, sntryu_)',
    prefixes: ['sntrys_', 'sntryu_'],
    of: base64Url,
    min: 40,
    rest: authorization,
  },
  {
    name: 'postman_key',
    finds: 'Postman API keys (PMAK-)',
    prefixes: ['PMAK-'],
    of: alphanumericDash,
    min: 40,
    isMixed: true,
  },
  {
    name: 'tailscale_key',
    finds: 'Tailscale keys (tskey-)',
    prefixes: ['tskey-'],
    of: base64Url,
    min: 20,
    isMixed: true,
  },
];

const bases = ['Authorization: ', 'authorization: ', 'Authorization":"', 'Authorization": "'];

/** Tried after all others, so that a known token in a header is counted under its own name. */
export const headerTokens: readonly TokenShape[] = [
  {
    name: 'authorization_header',
    finds: 'tokens after Bearer, and after Basic in an Authorization header',
    prefixes: ['Bearer ', 'bearer ', ...bases.flatMap((base) => [`${base}Basic `, `${base}basic `])],
    of: authorization,
    min: 16,
    isMixed: true,
    keepsPrefix: true,
  },
];
