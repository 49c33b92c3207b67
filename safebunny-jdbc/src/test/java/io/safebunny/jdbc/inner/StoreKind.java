// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.inner;

import io.safebunny.jdbc.fixture.TestDatabase;
import io.safebunny.jdbc.store.JdbcMessageStore;
import io.safebunny.jdbc.store.JdbcStoreOptions;
import io.safebunny.jdbc.store.TransactionalJdbcMessageStore;
import io.safebunny.memory.MemoryMessageStore;
import io.safebunny.store.MessageStore;
import io.safebunny.time.SystemTimeline;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.PlatformTransactionManager;

/** Where handled messages are remembered, next to the application's own database. */
enum StoreKind {
    TRANSACTIONAL,
    PLAIN_JDBC,
    MEMORY,
    NONE;

    @Nullable
    MessageStore open(TestDatabase database, PlatformTransactionManager manager, SystemTimeline timeline) {
        JdbcStoreOptions options = JdbcStoreOptions.of(TestDatabase.newNode(), Duration.ofHours(1));
        return switch (this) {
            case TRANSACTIONAL -> new TransactionalJdbcMessageStore(database.pool(), manager, options);
            case PLAIN_JDBC -> new JdbcMessageStore(database.pool(), options);
            case MEMORY -> new MemoryMessageStore(timeline, Duration.ofHours(1));
            case NONE -> null;
        };
    }
}
