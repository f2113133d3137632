import { useState } from "react";
import { t } from "../catalogue/texts.ts";
import { Button } from "./button.tsx";

/** Copies a text. Browsers offer no clipboard to pages without https. */
export function CopyButton({ text, label = t.actions.copy }: { text: string; label?: string }) {
  const [copied, setCopied] = useState("");
  if (navigator.clipboard === undefined) return null;
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    setCopied(text);
  };
  return <Button onClick={() => void copy()}>{copied === text ? t.actions.copied : label}</Button>;
}
