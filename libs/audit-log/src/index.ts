export { AuditLog, type AuditLogOptions, type AuditReport } from './audit-log.js';
export type { AuditQuery } from './audit-query.js';
