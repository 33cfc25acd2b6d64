/** The form that a person sees. */
export interface Form {
  message: string;
  requestedSchema: { required?: string[] };
}

/** Not an interface, because the SDKs take only types that may have further fields. */
export type FormAnswer = { action: 'accept' | 'decline' | 'cancel'; content?: Record<string, string> };

/** What the person does with a form. */
export type OnForm = (form: Form) => FormAnswer | Promise<FormAnswer>;

/** A person who decides about each call by its `path`: with one of the choices, or not at all. */
export function personWho(decides: Record<string, string>): OnForm {
  return ({ message, requestedSchema: { required = [] } }) => {
    const paths = [...message.matchAll(/"path":"([^"]*)"/g)].map(([, path = '']) => path);
    const chosen = required.map((key, index) => [key, decides[paths[index] ?? ''] ?? '']);
    return { action: 'accept', content: Object.fromEntries(chosen) as Record<string, string> };
  };
}
