-- SPDX-License-Identifier: Apache-2.0
-- Append-only, and without any unique constraint on purpose: an effect that happens twice is two rows.
create table if not exists ledger (
    id bigint generated always as identity,
    node varchar(100) not null,
    effect varchar(30) not null,
    order_id varchar(200) not null,
    message_id varchar(128) not null,
    amount_cents bigint not null,
    recorded_at timestamp with time zone default current_timestamp not null
);

create index if not exists ledger_order on ledger (order_id);

-- What a ledger that is kept elsewhere remembers of the calls it got (LedgerService).
create table if not exists idempotency_key (
    id varchar(200) primary key,
    order_id varchar(200) not null,
    repeats bigint not null
);
