-- SafeBunny's message store and outbox for MySQL 8.0 or newer. May be run again;
-- while instances run, with a lock_wait_timeout. To use other names than safebunny_* set
-- safebunny.store.jdbc.table-prefix, and replace "safebunny_" here.

create table if not exists safebunny_message (
    node           varchar(100) character set ascii collate ascii_bin     not null,
    correlation_id varchar(128) character set ascii collate ascii_bin     not null,
    message_id     varchar(255) character set ascii collate ascii_bin     not null,
    state          varchar(16)  character set ascii collate ascii_bin     not null,
    owner          varchar(255) character set utf8mb4 collate utf8mb4_bin not null,
    version        bigint                                                 not null,
    attempt        int                                                    not null,
    takeovers      int                                                    not null,
    lease_ms       bigint                                                 not null,
    fingerprint    bigint                                                 not null,
    -- the default is for instances of before it
    fingerprint_low bigint default 0                                      not null,
    format         smallint                                               not null,
    steps          longtext     character set utf8mb4 collate utf8mb4_bin,
    outgoing       longtext     character set utf8mb4 collate utf8mb4_bin,
    -- how often it was to be created and was there: written then so that the waiting writers queue and do not deadlock
    conflicts      bigint                                                 not null default 0,
    -- in UTC
    changed_at     datetime(6)                                            not null,
    primary key (node, correlation_id, message_id),
    index safebunny_message_changed (node, state, changed_at)
) engine = InnoDB;

-- steps of messages that are handled in a transaction. Apart from the messages, so that no lock of such a transaction, and nobody
-- who waits for one, is in the way of a step that is done. Never lock both tables in one transaction of your own
create table if not exists safebunny_step (
    node           varchar(100) character set ascii collate ascii_bin     not null,
    correlation_id varchar(128) character set ascii collate ascii_bin     not null,
    message_id     varchar(255) character set ascii collate ascii_bin     not null,
    state          varchar(16)  character set ascii collate ascii_bin     not null,
    owner          varchar(255) character set utf8mb4 collate utf8mb4_bin not null,
    version        bigint                                                 not null,
    attempt        int                                                    not null,
    takeovers      int                                                    not null,
    lease_ms       bigint                                                 not null,
    fingerprint    bigint                                                 not null,
    fingerprint_low bigint                                                 not null,
    format         smallint                                               not null,
    steps          longtext     character set utf8mb4 collate utf8mb4_bin,
    outgoing       longtext     character set utf8mb4 collate utf8mb4_bin,
    -- how often it was to be created and was there: written then so that the waiting writers queue and do not deadlock
    conflicts      bigint                                                 not null default 0,
    -- in UTC
    changed_at     datetime(6)                                            not null,
    primary key (node, correlation_id, message_id),
    index safebunny_step_changed (node, state, changed_at)
) engine = InnoDB;

-- companions that all messages of one correlation id share: the states of sagas. Apart from the messages, whose rows stay small
create table if not exists safebunny_companion (
    node           varchar(100) character set ascii collate ascii_bin     not null,
    correlation_id varchar(128) character set ascii collate ascii_bin     not null,
    message_id     varchar(255) character set ascii collate ascii_bin     not null,
    state          varchar(16)  character set ascii collate ascii_bin     not null,
    owner          varchar(255) character set utf8mb4 collate utf8mb4_bin not null,
    version        bigint                                                 not null,
    attempt        int                                                    not null,
    takeovers      int                                                    not null,
    lease_ms       bigint                                                 not null,
    fingerprint    bigint                                                 not null,
    fingerprint_low bigint                                                 not null,
    format         smallint                                               not null,
    steps          longtext     character set utf8mb4 collate utf8mb4_bin,
    outgoing       longtext     character set utf8mb4 collate utf8mb4_bin,
    -- what it can be found by, if at all; times in milliseconds since 1970 by the application's clock
    listed_kind    varchar(100) character set ascii collate ascii_bin,
    listed_status  varchar(32)  character set ascii collate ascii_bin,
    listed_since   bigint,
    due_at         bigint,
    -- how often it was to be created and was there: written then so that the waiting writers queue and do not deadlock
    conflicts      bigint                                                 not null default 0,
    -- in UTC
    changed_at     datetime(6)                                            not null,
    primary key (node, correlation_id, message_id),
    index safebunny_companion_due (node, due_at),
    index safebunny_companion_listed (node, listed_kind, listed_status, listed_since),
    index safebunny_companion_changed (node, state, changed_at)
) engine = InnoDB;

-- publications of the application's own transactions, until they are confirmed: empty most of the time
create table if not exists safebunny_outbox (
    id             bigint                                                 not null auto_increment primary key,
    node           varchar(100) character set ascii collate ascii_bin     not null,
    correlation_id varchar(128) character set ascii collate ascii_bin     not null,
    message_id     varchar(255) character set ascii collate ascii_bin     not null,
    message        longtext     character set utf8mb4 collate utf8mb4_bin not null,
    attempts       int                                                    not null,
    -- in UTC
    created_at     datetime(6)                                            not null,
    due_at         datetime(6)                                            not null,
    index safebunny_outbox_correlation (node, correlation_id, id),
    index safebunny_outbox_due (node, due_at, id)
) engine = InnoDB;

-- keys of the persons whom encrypted bodies are about (@Encrypted(subject)), encrypted in turn; a person is a keyed hash. Of one that was
-- erased, id and time are left. Shared by all nodes that read these bodies; empty where nothing has a subject
create table if not exists safebunny_subject_key (
    id             varchar(32)  character set ascii collate ascii_bin not null primary key,
    subject        varchar(64)  character set ascii collate ascii_bin unique,
    erased_subject varchar(64)  character set ascii collate ascii_bin,
    wrapping_key   varchar(128) character set ascii collate ascii_bin not null,
    sealed         varbinary(1400),
    -- in milliseconds since 1970
    erased_at      bigint,
    index safebunny_subject_key_erased (erased_subject)
) engine = InnoDB;

-- large bodies (safebunny.claim-check.jdbc.enabled), in parts, while their messages carry references. Shared by all nodes that read them
create table if not exists safebunny_body (
    body_key varchar(200) character set ascii collate ascii_bin not null primary key,
    length   bigint                                             not null,
    -- in milliseconds since 1970
    put_at   bigint                                             not null,
    index safebunny_body_age (put_at)
) engine = InnoDB;

create table if not exists safebunny_body_part (
    body_key varchar(200) character set ascii collate ascii_bin not null,
    part     integer                                            not null,
    content  mediumblob                                         not null,
    primary key (body_key, part)
) engine = InnoDB;
