// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.concurrency.Workers;
import io.safebunny.jdbc.outbox.JdbcOutbox;
import io.safebunny.node.SafeBunnyOptions;
import io.safebunny.store.MessageStore;
import io.safebunny.store.Outbox;
import io.safebunny.test.logs.CapturedLogs;
import io.safebunny.test.logs.LogLine;
import io.safebunny.time.SystemTimeline;
import io.safebunny.transport.OutboundMessage;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ForkJoinPool;
import java.util.function.Function;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;

class JdbcOutboxAutoConfigurationTest {

    private final String url = "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1";

    private final ApplicationContextRunner bare = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    JdbcSchemaAutoConfiguration.class,
                    JdbcStoreAutoConfiguration.class,
                    JdbcOutboxAutoConfiguration.class))
            .withBean(SystemTimeline.class, () -> new SystemTimeline("test"))
            .withBean(Workers.class, () -> new Workers(ForkJoinPool.commonPool()))
            .withBean(SafeBunnyOptions.class, () -> SafeBunnyOptions.of("shop"));

    private final ApplicationContextRunner h2 = bare.withConfiguration(AutoConfigurations.of(
                    DataSourceAutoConfiguration.class, DataSourceTransactionManagerAutoConfiguration.class))
            .withPropertyValues("spring.datasource.url=" + url);

    @Test
    void aDataSourceAndItsTransactionManagerAreEnough() {
        h2.run(context -> assertThat(context).hasSingleBean(JdbcOutbox.class));
    }

    @Test
    void itDoesNotNeedTheStoreToBeThere() {
        h2.withPropertyValues("safebunny.store.type=memory").run(context -> {
            assertThat(context).hasSingleBean(JdbcOutbox.class).doesNotHaveBean(MessageStore.class);
            assertThat(new JdbcTemplate(context.getBean(DataSource.class))
                            .queryForObject("select count(*) from safebunny_outbox", Integer.class))
                    .isZero();
        });
    }

    @Test
    void noneWithoutATransactionManager() {
        bare.withConfiguration(AutoConfigurations.of(DataSourceAutoConfiguration.class))
                .withPropertyValues("spring.datasource.url=" + url)
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(Outbox.class));
    }

    @Test
    void noneOfSeveralDataSourcesWithoutAPrimaryOneAndThatIsSaid() {
        ApplicationContextRunner several = bare.withBean("first", DataSource.class, this::database)
                .withBean("second", DataSource.class, this::database)
                .withBean(
                        PlatformTransactionManager.class,
                        () -> new JdbcTransactionManager(database()),
                        definition -> definition.setPrimary(true));
        try (CapturedLogs logs = CapturedLogs.start()) {
            several.run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(Outbox.class));
            several.withPropertyValues("safebunny.outbox.enabled=false")
                    .run(context -> assertThat(context).hasNotFailed());
            h2.run(context -> assertThat(context).hasNotFailed());

            assertThat(logs.all().stream().map(LogLine::message).filter(text -> text.contains("SB-1118")))
                    .singleElement()
                    .asString()
                    .contains("first", "second", "@Primary");
        }
    }

    private DataSource database() {
        JdbcDataSource database = new JdbcDataSource();
        database.setURL(url);
        return database;
    }

    @Test
    void noneWhenSwitchedOff() {
        h2.withPropertyValues("safebunny.outbox.enabled=false").run(context -> assertThat(context)
                .hasNotFailed()
                .doesNotHaveBean(Outbox.class)
                .hasSingleBean(MessageStore.class));
        h2.withPropertyValues("safebunny.outbox.enabled=false", "safebunny.store.type=none")
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(SchemaInitializer.class));
        h2.withPropertyValues("safebunny.enabled=false")
                .run(context -> assertThat(context).doesNotHaveBean(Outbox.class));
    }

    @Test
    void theTableHasTheNameThatWasAskedFor() {
        h2.withPropertyValues("safebunny.store.jdbc.table-prefix=mine_").run(context -> {
            assertThat(context).hasSingleBean(JdbcOutbox.class);
            assertThat(new JdbcTemplate(context.getBean(DataSource.class))
                            .queryForObject("select count(*) from mine_outbox", Integer.class))
                    .isZero();
        });
    }

    @Test
    void theTableMustBeThere() {
        h2.withPropertyValues("safebunny.store.jdbc.initialize-schema=never", "safebunny.store.type=none")
                .run(context -> assertThat(context)
                        .getFailure()
                        .hasStackTraceContaining("SB-1402 Table safebunny_outbox is missing"));
    }

    @Test
    void aValueOutOfRangeIsRefusedByName() {
        h2.withPropertyValues("safebunny.outbox.relay-interval=0s").run(context -> assertThat(context)
                .getFailure()
                .hasStackTraceContaining("SB-1301 Invalid property [safebunny.outbox.relay-interval"));
    }

    @Test
    void anOutboxOfTheApplicationComesFirst() {
        h2.withBean(Outbox.class, None::new)
                .run(context -> assertThat(context).hasSingleBean(Outbox.class).hasSingleBean(None.class));
    }

    private static final class None implements Outbox {

        @Override
        public boolean add(OutboundMessage message) {
            return false;
        }

        @Override
        public void start(Function<OutboundMessage, CompletableFuture<Void>> sender) {}

        @Override
        public List<Unsent> findCorrelated(String correlationId, int limit) {
            return List.of();
        }

        @Override
        public List<String> findCorrelationIds(String messageId, int limit, Duration atMost) {
            return List.of();
        }

        @Override
        public void stop() {}
    }
}
