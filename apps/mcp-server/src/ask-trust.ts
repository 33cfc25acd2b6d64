import {
  describeRequest,
  type ProjectFile,
  type ProjectRequest,
  readProject,
  trustFiles,
} from '@code-executor/config';
import { CodeExecutorError, type Logger } from '@code-executor/contracts';

/** Asks the person at the client; true where they agree. */
export type AskUser = (question: string) => Promise<boolean>;

/** A longer request is not for a dialogue: whoever approves it must have seen all of it. */
const maxQuestionChars = 4000;

export interface TrustQuestionOptions {
  configFile: string | undefined;
  /** Called when something was approved. */
  onTrusted: () => Promise<void>;
  logger: Logger;
}

/**
 * Asks whether the files of the working directory may count, once for each content of theirs, in the background. One
 * question at a time: whoever writes the files again and again gets the user's attention once.
 */
export class TrustQuestion {
  readonly #options: TrustQuestionOptions;
  readonly #asked = new Set<string>();
  #isAsking = false;

  constructor(options: TrustQuestionOptions) {
    this.#options = options;
  }

  /** Asks where there is something to ask; returns at once. */
  consider(files: readonly ProjectFile[], askUser: AskUser | undefined): void {
    const waiting = files.filter((file) => !file.isTrusted).map(({ path, sha256 }) => `${sha256} ${path}`);
    const content = waiting.join('\n');
    if (!askUser || waiting.length === 0 || this.#isAsking || this.#asked.has(content)) return;
    this.#asked.add(content);
    this.#isAsking = true;
    this.#ask(askUser)
      .catch((error: unknown) => {
        this.#options.logger.warn({ err: error }, 'The user was not asked whether the project is trusted.');
      })
      .finally(() => (this.#isAsking = false));
  }

  async #ask(askUser: AskUser): Promise<void> {
    const { configFile, onTrusted, logger } = this.#options;
    const request = await readProject(configFile === undefined ? {} : { file: configFile });
    const question = questionFor(request);
    if (question === undefined || !(await askUser(question))) return;
    try {
      // What was shown, whatever lies there by now.
      await trustFiles(request.files);
    } catch (error) {
      logger.warn({}, `The approval is not remembered: ${CodeExecutorError.from(error).message}`);
      return;
    }
    logger.info({ folder: request.folder }, 'The user trusts the project.');
    await onTrusted();
  }
}

/** Undefined where there is nothing that could be approved in a dialogue. */
function questionFor(request: ProjectRequest): string | undefined {
  const { folder, servers, settings, problems } = request;
  if (servers.length + settings.length === 0 || problems.length > 0) return undefined;
  const question = `Do you trust the project in ${folder}? Its files ask Code Executor for this:\n\n${describeRequest(request)}\nYour approval holds until one of these files changes.`;
  return question.length > maxQuestionChars ? undefined : question;
}
