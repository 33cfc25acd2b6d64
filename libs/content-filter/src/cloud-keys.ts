import { base64, base64Url, encodedBase64, hex, paddedBase64, dotted, upperDigit } from './characters.js';
import type { TokenShape } from './token-pattern.js';

const awsSecretLabels = [
  ...['secretAccessKey', 'SecretAccessKey', 'secret_access_key', 'SECRET_ACCESS_KEY', 'secret-access-key'],
  ...['awsSecretAccessKey', 'AWSSecretKey', 'AWSSecretAccessKey', 'secret_key', 'SECRET_KEY'],
];

/** Keys of clouds and of what runs in them. */
export const cloudKeys: readonly TokenShape[] = [
  {
    name: 'aws_access_key_id',
    finds: 'AWS access key ids (AKIA, ASIA, ABIA, ACCA)',
    prefixes: ['AKIA', 'ASIA', 'ABIA', 'ACCA'],
    of: upperDigit,
    min: 16,
    isExact: true,
  },
  {
    name: 'aws_secret_key',
    finds: 'AWS secret access keys after their name, such as aws_secret_access_key',
    prefixes: awsSecretLabels,
    of: base64,
    min: 40,
    isExact: true,
    isMixed: true,
    hasGap: true,
  },
  {
    name: 'google_api_key',
    finds: 'Google API keys (AIza)',
    prefixes: ['AIza'],
    of: base64Url,
    min: 35,
  },
  {
    name: 'google_oauth',
    finds: 'Google OAuth client secrets (GOCSPX-) and access tokens (ya29.)',
    prefixes: ['GOCSPX-', 'ya29.'],
    of: dotted,
    min: 24,
    rest: base64Url,
    hasDots: true,
  },
  {
    name: 'azure_key',
    finds: 'keys in Azure connection strings (AccountKey=, SharedAccessKey=)',
    prefixes: ['AccountKey=', 'SharedAccessKey='],
    of: paddedBase64,
    min: 40,
    isMixed: true,
    keepsPrefix: true,
  },
  {
    name: 'azure_sas',
    finds: 'signatures of Azure shared access addresses (sig=)',
    prefixes: ['?sig=', '&sig='],
    of: encodedBase64,
    min: 43,
    isMixed: true,
    keepsPrefix: true,
  },
  {
    name: 'digitalocean_token',
    finds: 'DigitalOcean tokens (dop_v1_, doo_v1_, dor_v1_)',
    prefixes: ['dop_v1_', 'doo_v1_', 'dor_v1_'],
    of: hex,
    min: 40,
  },
  {
    name: 'databricks_token',
    finds: 'Databricks tokens (dapi)',
    prefixes: ['dapi'],
    of: hex,
    min: 32,
    isExact: true,
    isMixed: true,
  },
  {
    name: 'vault_token',
    finds: 'HashiCorp Vault tokens (hvs., hvb., hvr.)',
    prefixes: ['hvs.', 'hvb.', 'hvr.'],
    of: base64Url,
    min: 24,
  },
  {
    name: 'supabase_key',
    finds: 'Supabase keys (sbp_, sb_secret_)',
    prefixes: ['sbp_', 'sb_secret_'],
    of: base64Url,
    min: 30,
    isMixed: true,
  },
  {
    name: 'grafana_token',
    finds: 'Grafana tokens (glsa_, glc_)',
    prefixes: ['glsa_', 'glc_'],
    of: paddedBase64,
    min: 32,
    isMixed: true,
    rest: base64Url | paddedBase64,
  },
];
