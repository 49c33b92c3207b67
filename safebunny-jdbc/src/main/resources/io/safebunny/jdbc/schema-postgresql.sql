-- SafeBunny's message store and outbox for PostgreSQL 11 or newer. May be run again; while
-- instances run, with a lock_timeout. To use other names than safebunny_* set
-- safebunny.store.jdbc.table-prefix, and replace "safebunny_" here.

create table if not exists safebunny_message (
    node           varchar(100) collate "C" not null,
    correlation_id varchar(128) collate "C" not null,
    message_id     varchar(255) collate "C" not null,
    state          varchar(16)              not null,
    owner          varchar(255)             not null,
    version        bigint                   not null,
    attempt        integer                  not null,
    takeovers      integer                  not null,
    lease_ms       bigint                   not null,
    fingerprint    bigint                   not null,
    -- the default is for instances of before it
    fingerprint_low bigint default 0        not null,
    format         smallint                 not null,
    steps          text,
    outgoing       text,
    changed_at     timestamptz              not null,
    primary key (node, correlation_id, message_id)
)
-- a message leaves up to two dead rows behind: a fifth of the table, the default, would be too late
with (autovacuum_vacuum_scale_factor = 0.02);

-- partial, so that a row is in one of them at a time, and a claim with a lease in none. The first one holds only what is in flight
create index if not exists safebunny_message_completed on safebunny_message (node, changed_at)
    where state = 'COMPLETED';

create index if not exists safebunny_message_ended on safebunny_message (node, changed_at)
    where state in ('DISPATCHED', 'UNDONE');

-- apart, because they are kept longer: whoever removes the others would have to pass them each time
create index if not exists safebunny_message_poisoned on safebunny_message (node, changed_at)
    where state = 'POISONED';

-- steps of messages that are handled in a transaction. Apart from the messages, so that no lock of such a transaction, and nobody
-- who waits for one, is in the way of a step that is done. Never lock both tables in one transaction of your own
create table if not exists safebunny_step (
    node           varchar(100) collate "C" not null,
    correlation_id varchar(128) collate "C" not null,
    message_id     varchar(255) collate "C" not null,
    state          varchar(16)              not null,
    owner          varchar(255)             not null,
    version        bigint                   not null,
    attempt        integer                  not null,
    takeovers      integer                  not null,
    lease_ms       bigint                   not null,
    fingerprint    bigint                   not null,
    fingerprint_low bigint                  not null,
    format         smallint                 not null,
    steps          text,
    outgoing       text,
    changed_at     timestamptz              not null,
    primary key (node, correlation_id, message_id)
)
-- every step but the first of a message leaves a dead row behind
with (autovacuum_vacuum_scale_factor = 0.02);

create index if not exists safebunny_step_ended on safebunny_step (node, changed_at)
    where state in ('DISPATCHED', 'POISONED', 'UNDONE');

-- companions that all messages of one correlation id share: the states of sagas. Apart from the messages, whose rows stay small
create table if not exists safebunny_companion (
    node           varchar(100) collate "C" not null,
    correlation_id varchar(128) collate "C" not null,
    message_id     varchar(255) collate "C" not null,
    state          varchar(16)              not null,
    owner          varchar(255)             not null,
    version        bigint                   not null,
    attempt        integer                  not null,
    takeovers      integer                  not null,
    lease_ms       bigint                   not null,
    fingerprint    bigint                   not null,
    fingerprint_low bigint                  not null,
    format         smallint                 not null,
    steps          text,
    outgoing       text,
    -- what it can be found by, if at all; times in milliseconds since 1970 by the application's clock
    listed_kind    varchar(100) collate "C",
    listed_status  varchar(32)  collate "C",
    listed_since   bigint,
    due_at         bigint,
    changed_at     timestamptz              not null,
    primary key (node, correlation_id, message_id)
)
-- every message of a saga leaves a dead row behind; where the page has room for the next one, no index entry is written
with (autovacuum_vacuum_scale_factor = 0.02, fillfactor = 80);

create index if not exists safebunny_companion_due on safebunny_companion (node, due_at)
    where due_at is not null;

create index if not exists safebunny_companion_listed on safebunny_companion (node, listed_kind, listed_status, listed_since)
    where listed_kind is not null;

create index if not exists safebunny_companion_ended on safebunny_companion (node, changed_at)
    where state in ('DISPATCHED', 'POISONED', 'UNDONE');

-- publications of the application's own transactions, until they are confirmed: empty most of the time
create table if not exists safebunny_outbox (
    id             bigint generated always as identity primary key,
    node           varchar(100) collate "C" not null,
    correlation_id varchar(128) collate "C" not null,
    message_id     varchar(255) collate "C" not null,
    message        text                     not null,
    attempts       integer                  not null,
    created_at     timestamptz              not null,
    due_at         timestamptz              not null
)
-- every message leaves a dead row behind, and the table is small
with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);

-- expressions instead of the columns, so that each statement fits one index only: PostgreSQL thinks that all indexes of a table cost the
-- same if the table was empty when it last looked, and may then read an index from its beginning. While a transaction is held open, all
-- rows deleted since are still in it
create index if not exists safebunny_outbox_correlation_order on safebunny_outbox (node, correlation_id, (id + 0));
create index if not exists safebunny_outbox_due_order on safebunny_outbox ((node || ''), due_at);

-- keys of the persons whom encrypted bodies are about (@Encrypted(subject)), encrypted in turn; a person is a keyed hash. Of one that was
-- erased, id and time are left. Shared by all nodes that read these bodies; empty where nothing has a subject
create table if not exists safebunny_subject_key (
    id             varchar(32) collate "C"  primary key,
    subject        varchar(64) collate "C"  unique,
    erased_subject varchar(64) collate "C",
    wrapping_key   varchar(128) collate "C" not null,
    sealed         bytea,
    -- in milliseconds since 1970
    erased_at      bigint
);

create index if not exists safebunny_subject_key_erased on safebunny_subject_key (erased_subject)
    where erased_subject is not null;

-- large bodies (safebunny.claim-check.jdbc.enabled), in parts, while their messages carry references. Shared by all nodes that read them
create table if not exists safebunny_body (
    body_key varchar(200) collate "C" primary key,
    length   bigint                   not null,
    -- in milliseconds since 1970
    put_at   bigint                   not null
);

create index if not exists safebunny_body_age on safebunny_body (put_at);

create table if not exists safebunny_body_part (
    body_key varchar(200) collate "C" not null,
    part     integer                  not null,
    content  bytea                    not null,
    primary key (body_key, part)
);
