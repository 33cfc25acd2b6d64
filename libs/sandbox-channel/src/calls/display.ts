import type { HostCall } from '../host-call.js';

/** Takes a part of a picture that a program shows. */
export const display: HostCall = {
  answer(params, { pictures }) {
    pictures.take(params);
    return Promise.resolve(null);
  },
};
