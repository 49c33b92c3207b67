// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.store;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.safebunny.jdbc.fixture.Records;
import io.safebunny.store.record.RecordKey;
import java.time.Duration;

/** A process with an embedded database that halts right after its last commit. Arguments: the URL, the number of records. */
final class H2FileWriter {

    static final int HALTED = 137;
    static final String NODE = "killed";

    private H2FileWriter() {}

    static RecordKey key(int number) {
        return new RecordKey("c", "m" + number);
    }

    static HikariDataSource pool(String url) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(url);
        config.setUsername("sa");
        config.setMaximumPoolSize(2);
        return new HikariDataSource(config);
    }

    static JdbcMessageStore store(HikariDataSource pool) {
        return new JdbcMessageStore(pool, JdbcStoreOptions.of(NODE, Duration.ofDays(1)));
    }

    public static void main(String... arguments) {
        JdbcMessageStore store = store(pool(arguments[0]));
        int records = Integer.parseInt(arguments[1]);
        for (int i = 0; i < records; i++) {
            store.create(Records.claim(key(i), "me"));
        }
        Runtime.getRuntime().halt(HALTED);
    }
}
