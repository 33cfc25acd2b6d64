import type {
  OAuthClientInformationContext,
  OAuthClientMetadata,
  OAuthClientProvider,
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from '@modelcontextprotocol/client';

import type { OAuthOptions } from '../options.js';

export interface LoginProviderOptions {
  redirectUrl: string;
  state: string;
  oauth: OAuthOptions;
}

/** What the SDK asks and tells during one login. Nothing of an earlier login is used, and all of it is in memory. */
export class LoginProvider implements OAuthClientProvider {
  readonly redirectUrl: string;
  readonly clientMetadataUrl?: string;
  readonly #options: LoginProviderOptions;
  #verifier = '';
  #isAsked = false;
  authorizationUrl: URL | undefined;
  client: StoredOAuthClientInformation | undefined;
  received: StoredOAuthTokens | undefined;
  discovered: OAuthDiscoveryState | undefined;

  constructor(options: LoginProviderOptions) {
    const { redirectUrl, oauth } = options;
    this.#options = options;
    this.redirectUrl = redirectUrl;
    if (oauth.clientMetadataUrl !== undefined) this.clientMetadataUrl = oauth.clientMetadataUrl;
    const { clientId: client_id, clientSecret: client_secret } = oauth;
    if (client_id !== undefined)
      this.client = { client_id, ...(client_secret !== undefined && { client_secret }) };
  }

  /** The authorization server is known, and did not register the client. */
  get isUnregistered(): boolean {
    return this.#isAsked && !this.client;
  }

  get clientMetadata(): OAuthClientMetadata {
    return {
      client_name: 'Code Executor',
      redirect_uris: [this.redirectUrl],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    };
  }

  state(): string {
    return this.#options.state;
  }

  /** The client of the configuration is for whichever authorization server the server names. */
  clientInformation(context?: OAuthClientInformationContext): StoredOAuthClientInformation | undefined {
    this.#isAsked = true;
    return this.client && context ? { ...context, ...this.client } : this.client;
  }

  saveClientInformation(client: StoredOAuthClientInformation): void {
    this.client = client;
  }

  /** None, so that the person is asked. */
  tokens(): undefined {
    return undefined;
  }

  saveTokens(tokens: StoredOAuthTokens): void {
    this.received = tokens;
  }

  redirectToAuthorization(url: URL): void {
    this.authorizationUrl = url;
  }

  saveCodeVerifier(verifier: string): void {
    this.#verifier = verifier;
  }

  codeVerifier(): string {
    return this.#verifier;
  }

  saveDiscoveryState(state: OAuthDiscoveryState): void {
    this.discovered = state;
  }

  discoveryState(): OAuthDiscoveryState | undefined {
    return this.discovered;
  }
}
