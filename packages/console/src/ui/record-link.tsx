import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";

type Linked = { readonly id: string; readonly children?: ReactNode };

const shown = ({ id, children }: Linked) => ({
  children: children ?? id,
  ...(children === undefined ? { className: "mono break" } : {}),
});

/** Links to a record by the name that is given, or by its id. */
export const PayoutLink = (props: Linked) => (
  <Link to="/payouts/$payoutId" params={{ payoutId: props.id }} {...shown(props)} />
);

export const BatchLink = (props: Linked) => (
  <Link to="/batches/$batchId" params={{ batchId: props.id }} {...shown(props)} />
);

export const PayeeLink = (props: Linked) => (
  <Link to="/beneficiaries/$beneficiaryId" params={{ beneficiaryId: props.id }} {...shown(props)} />
);

export const EndpointLink = (props: Linked) => (
  <Link to="/webhooks/$endpointId" params={{ endpointId: props.id }} {...shown(props)} />
);

/** Operators see a payout of any merchant. */
export const TreasuryPayoutLink = (props: Linked) => (
  <Link to="/treasury/payouts/$payoutId" params={{ payoutId: props.id }} {...shown(props)} />
);
