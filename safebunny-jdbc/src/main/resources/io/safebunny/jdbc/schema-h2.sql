-- SafeBunny's message store and outbox for H2 2.2 or newer. May be run again. To use other names than safebunny_* set
-- safebunny.store.jdbc.table-prefix, and replace "safebunny_" here.

create table if not exists safebunny_message (
    node           varchar(100)                not null,
    correlation_id varchar(128)                not null,
    message_id     varchar(255)                not null,
    state          varchar(16)                 not null,
    owner          varchar(255)                not null,
    version        bigint                      not null,
    attempt        integer                     not null,
    takeovers      integer                     not null,
    lease_ms       bigint                      not null,
    fingerprint    bigint                      not null,
    -- the default is for instances of before it
    fingerprint_low bigint default 0           not null,
    format         smallint                    not null,
    steps          character large object,
    outgoing       character large object,
    changed_at     timestamp(6) with time zone not null,
    primary key (node, correlation_id, message_id)
);

create index if not exists safebunny_message_changed on safebunny_message (node, state, changed_at);

-- steps of messages that are handled in a transaction. Apart from the messages, so that no lock of such a transaction, and nobody
-- who waits for one, is in the way of a step that is done. Never lock both tables in one transaction of your own
create table if not exists safebunny_step (
    node           varchar(100)                not null,
    correlation_id varchar(128)                not null,
    message_id     varchar(255)                not null,
    state          varchar(16)                 not null,
    owner          varchar(255)                not null,
    version        bigint                      not null,
    attempt        integer                     not null,
    takeovers      integer                     not null,
    lease_ms       bigint                      not null,
    fingerprint    bigint                      not null,
    fingerprint_low bigint                     not null,
    format         smallint                    not null,
    steps          character large object,
    outgoing       character large object,
    changed_at     timestamp(6) with time zone not null,
    primary key (node, correlation_id, message_id)
);

create index if not exists safebunny_step_changed on safebunny_step (node, state, changed_at);

-- companions that all messages of one correlation id share: the states of sagas. Apart from the messages, whose rows stay small
create table if not exists safebunny_companion (
    node           varchar(100)                not null,
    correlation_id varchar(128)                not null,
    message_id     varchar(255)                not null,
    state          varchar(16)                 not null,
    owner          varchar(255)                not null,
    version        bigint                      not null,
    attempt        integer                     not null,
    takeovers      integer                     not null,
    lease_ms       bigint                      not null,
    fingerprint    bigint                      not null,
    fingerprint_low bigint                     not null,
    format         smallint                    not null,
    steps          character large object,
    outgoing       character large object,
    -- what it can be found by, if at all; times in milliseconds since 1970 by the application's clock
    listed_kind    varchar(100),
    listed_status  varchar(32),
    listed_since   bigint,
    due_at         bigint,
    changed_at     timestamp(6) with time zone not null,
    primary key (node, correlation_id, message_id)
);

create index if not exists safebunny_companion_due on safebunny_companion (node, due_at);
create index if not exists safebunny_companion_listed on safebunny_companion (node, listed_kind, listed_status, listed_since);
create index if not exists safebunny_companion_changed on safebunny_companion (node, state, changed_at);

-- publications of the application's own transactions, until they are confirmed: empty most of the time
create table if not exists safebunny_outbox (
    id             bigint                      generated always as identity primary key,
    node           varchar(100)                not null,
    correlation_id varchar(128)                not null,
    message_id     varchar(255)                not null,
    message        character large object      not null,
    attempts       integer                     not null,
    created_at     timestamp(6) with time zone not null,
    due_at         timestamp(6) with time zone not null
);

create index if not exists safebunny_outbox_correlation on safebunny_outbox (node, correlation_id, id);
create index if not exists safebunny_outbox_due on safebunny_outbox (node, due_at, id);

-- keys of the persons whom encrypted bodies are about (@Encrypted(subject)), encrypted in turn; a person is a keyed hash. Of one that was
-- erased, id and time are left. Shared by all nodes that read these bodies; empty where nothing has a subject
create table if not exists safebunny_subject_key (
    id             varchar(32)   primary key,
    subject        varchar(64)   unique,
    erased_subject varchar(64),
    wrapping_key   varchar(128)  not null,
    sealed         varbinary(1400),
    -- in milliseconds since 1970
    erased_at      bigint
);

create index if not exists safebunny_subject_key_erased on safebunny_subject_key (erased_subject);

-- large bodies (safebunny.claim-check.jdbc.enabled), in parts, while their messages carry references. Shared by all nodes that read them
create table if not exists safebunny_body (
    body_key varchar(200) primary key,
    length   bigint       not null,
    -- in milliseconds since 1970
    put_at   bigint       not null
);

create index if not exists safebunny_body_age on safebunny_body (put_at);

create table if not exists safebunny_body_part (
    body_key varchar(200)      not null,
    part     integer           not null,
    content  varbinary(262144) not null,
    primary key (body_key, part)
);
