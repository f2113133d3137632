import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useRef } from "react";
import { needsApproval, Problem } from "../api/problem.ts";
import { attemptKey } from "../api/request.ts";

/**
 * A change that a person makes. It runs once at a time, so that a double click makes one change.
 * Then the page reads its records again. The answer does not wait for that: it may have secrets that
 * are shown once. After an error nothing is read: a newer state could hide the error.
 */
export function useSingle<T, V = void>(options: {
  mutationFn: (variables: V) => Promise<T>;
  onSuccess?: (answer: T) => unknown;
}) {
  const client = useQueryClient();
  const isRunning = useRef(false);
  const mutation = useMutation<T, Error, V>({
    ...options,
    onSettled: (_answer, error) => {
      isRunning.current = false;
      if (error === null) void client.invalidateQueries();
    },
  });
  const mutate = (variables: V) => {
    if (isRunning.current) return;
    isRunning.current = true;
    mutation.mutate(variables);
  };
  return { ...mutation, mutate };
}

/**
 * Sends a form. Sending unchanged content again after an error is the same attempt and uses the same
 * idempotency key. Changed content is a new attempt, and a success or a proposal ends the attempt.
 */
export function useAttempt<T, V>(options: {
  send: (content: V, idempotencyKey: string) => Promise<T>;
  onSuccess?: (answer: T) => Promise<unknown>;
}) {
  const attempt = useRef({ text: "", key: "" });
  return useSingle<T, V>({
    ...options,
    mutationFn: async (content) => {
      const text = JSON.stringify(content);
      if (attempt.current.text !== text) attempt.current = { text, key: attemptKey() };
      const end = () => {
        attempt.current = { text: "", key: "" };
      };
      try {
        const answer = await options.send(content, attempt.current.key);
        end();
        return answer;
      } catch (error) {
        if (error instanceof Problem && error.code === needsApproval) end();
        throw error;
      }
    },
  });
}
