-- SPDX-License-Identifier: Apache-2.0
-- schema.sql for MySQL, which has neither "create index if not exists" nor times with a zone.
create table if not exists ledger (
    id bigint auto_increment primary key,
    node varchar(100) not null,
    effect varchar(30) not null,
    order_id varchar(200) not null,
    message_id varchar(128) not null,
    amount_cents bigint not null,
    recorded_at timestamp default current_timestamp not null,
    index ledger_order (order_id)
) engine = InnoDB character set utf8mb4 collate utf8mb4_0900_bin;

create table if not exists idempotency_key (
    id varchar(200) primary key,
    order_id varchar(200) not null,
    repeats bigint not null
) engine = InnoDB character set utf8mb4 collate utf8mb4_0900_bin;
