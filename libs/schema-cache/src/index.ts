export { type CacheEntry, SchemaCache, type SchemaCacheOptions, type Verdict } from './schema-cache.js';
