import { type Database, isDuplicateKey } from "@disburse/chassis/mongo/database.ts";

type ExecutionDocument = {
  /** `<merchant id>:<operation id>`. */
  _id: string;
  schema_version: number;
  quote_id: string;
  created_at: Date;
};

export type ExecutionStore = ReturnType<typeof openExecutionStore>;

/** Which quote an operation names: bound before any money is held, and for good. */
export function openExecutionStore({ db }: Database) {
  const executions = db.collection<ExecutionDocument>("executions");
  return {
    /** Binds an operation to a quote, unless it is bound; answers with the one that it has. */
    bind: async (
      merchantId: string,
      operationId: string,
      quoteId: string,
      now: Date,
    ): Promise<string> => {
      const _id = `${merchantId}:${operationId}`;
      try {
        await executions.insertOne({ _id, schema_version: 1, quote_id: quoteId, created_at: now });
        return quoteId;
      } catch (error) {
        if (!isDuplicateKey(error)) throw error;
        const first = await executions.findOne({ _id });
        if (first === null) throw error;
        return first.quote_id;
      }
    },
  };
}
