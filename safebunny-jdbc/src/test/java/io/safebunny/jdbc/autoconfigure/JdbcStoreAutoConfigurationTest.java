// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.concurrency.Workers;
import io.safebunny.failure.ConfigurationException;
import io.safebunny.jdbc.outbox.JdbcOutbox;
import io.safebunny.jdbc.store.JdbcMessageStore;
import io.safebunny.jdbc.store.TransactionalJdbcMessageStore;
import io.safebunny.memory.MemoryMessageStore;
import io.safebunny.node.SafeBunnyOptions;
import io.safebunny.store.MessageStore;
import io.safebunny.store.record.Fingerprint;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordKey;
import io.safebunny.store.record.RecordState;
import io.safebunny.time.SystemTimeline;
import io.safebunny.time.Timeline;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.AbstractDataSource;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

@ExtendWith(OutputCaptureExtension.class)
class JdbcStoreAutoConfigurationTest {

    private final String url = "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1";

    private final ApplicationContextRunner bare = new ApplicationContextRunner()
            .withConfiguration(
                    AutoConfigurations.of(JdbcSchemaAutoConfiguration.class, JdbcStoreAutoConfiguration.class))
            .withBean(SafeBunnyOptions.class, () -> SafeBunnyOptions.of("shop"));

    private final ApplicationContextRunner h2 = bare.withConfiguration(AutoConfigurations.of(
                    DataSourceAutoConfiguration.class, DataSourceTransactionManagerAutoConfiguration.class))
            .withPropertyValues("spring.datasource.url=" + url);

    private static MessageRecord claim() {
        return MessageRecord.claim(
                new RecordKey("c", "m"), "me", Duration.ofSeconds(1), 0, new Fingerprint(Fingerprint.SHA256, 1, 1));
    }

    @Test
    void aDataSourceAndItsTransactionManagerAreEnough() {
        h2.run(context -> {
            assertThat(context).hasSingleBean(TransactionalJdbcMessageStore.class);
            MessageStore store = context.getBean(MessageStore.class);
            assertThat(store.create(claim()).owner()).isEqualTo("me");
            assertThat(new JdbcTemplate(context.getBean(DataSource.class))
                            .queryForObject("select node from safebunny_message", String.class))
                    .isEqualTo("shop");
        });
    }

    @ParameterizedTest
    @CsvSource({"true", "false"})
    void keepsPoisonedRecordsAsLongAsTheNodeIsTold(boolean transactional) {
        new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(
                        JdbcSchemaAutoConfiguration.class,
                        JdbcStoreAutoConfiguration.class,
                        DataSourceAutoConfiguration.class,
                        DataSourceTransactionManagerAutoConfiguration.class))
                .withBean(SafeBunnyOptions.class, () -> SafeBunnyOptions.of("shop")
                        .withRetention(Duration.ofDays(3))
                        .withPoisonRetention(Duration.ofDays(40)))
                .withPropertyValues(
                        "spring.datasource.url=" + url, "safebunny.store.jdbc.transactional=" + transactional)
                .run(context -> {
                    MessageStore store = context.getBean(MessageStore.class);
                    store.replace(store.create(claim()).next(RecordState.POISONED));
                    int after39Days = removedAfter(39, context);
                    int after41Days = removedAfter(2, context);

                    assertThat(List.of(after39Days, after41Days)).containsExactly(0, 1);
                });
    }

    private static int removedAfter(int days, ApplicationContext context) {
        JdbcTemplate table = new JdbcTemplate(context.getBean(DataSource.class));
        table.update("update safebunny_message set changed_at = dateadd('DAY', ?, changed_at)", -days);
        return context.getBean(MessageStore.class).removeExpired(10);
    }

    @Test
    void withoutTransactionsWhenAskedFor() {
        h2.withPropertyValues("safebunny.store.jdbc.transactional=false")
                .run(context -> assertThat(context).hasSingleBean(JdbcMessageStore.class));
    }

    @Test
    void withoutTransactionsWhenThereIsNoManagerForThisDataSource() {
        bare.withConfiguration(AutoConfigurations.of(DataSourceAutoConfiguration.class))
                .withPropertyValues("spring.datasource.url=" + url)
                .run(context -> assertThat(context).hasSingleBean(JdbcMessageStore.class));
    }

    @Test
    void theTableIsNotCreatedWhenThatIsForbidden() {
        h2.withPropertyValues("safebunny.store.jdbc.initialize-schema=never").run(context -> assertThat(context)
                .getFailure()
                .hasStackTraceContaining("SB-1402 Table safebunny_message is missing"));
    }

    @Test
    void theTableIsCreatedAlwaysAndTwiceIsHarmless() {
        for (int i = 0; i < 2; i++) {
            h2.withPropertyValues("safebunny.store.jdbc.initialize-schema=always")
                    .run(context -> assertThat(context).hasNotFailed());
        }
    }

    @Test
    void theTableHasTheNameThatWasAskedFor() {
        h2.withPropertyValues("safebunny.store.jdbc.table-prefix=mine_").run(context -> {
            context.getBean(MessageStore.class).create(claim());
            assertThat(new JdbcTemplate(context.getBean(DataSource.class))
                            .queryForObject("select count(*) from mine_message", Integer.class))
                    .isEqualTo(1);
        });
    }

    @Test
    void aDatabaseThatMayLoseCommitsIsWarnedOfOnce(@TempDir Path folder, CapturedOutput output) {
        String file = "spring.datasource.url=jdbc:h2:" + folder.resolve("orders");
        ApplicationContextRunner runner = h2.withConfiguration(AutoConfigurations.of(JdbcOutboxAutoConfiguration.class))
                .withBean(Timeline.class, () -> new SystemTimeline("test"))
                .withBean(Workers.class, () -> new Workers(ForkJoinPool.commonPool()))
                .withPropertyValues("safebunny.store.jdbc.initialize-schema=always");
        runner.run(context -> assertThat(context).hasSingleBean(JdbcOutbox.class));
        runner.withPropertyValues(file + ";WRITE_DELAY=0")
                .run(context -> assertThat(context).hasNotFailed());
        assertThat(output).doesNotContain("SB-1421");
        runner.withPropertyValues(file).run(context -> assertThat(context).hasNotFailed());
        assertThat(output).containsOnlyOnce("SB-1421 The database may lose what it has committed [WRITE_DELAY=500]");
    }

    @Test
    void aStoreOfTheApplicationComesFirst() {
        h2.withBean(
                        MemoryMessageStore.class,
                        () -> new MemoryMessageStore(new SystemTimeline("test"), Duration.ofDays(1)))
                .run(context ->
                        assertThat(context).hasSingleBean(MessageStore.class).hasSingleBean(MemoryMessageStore.class));
    }

    @Test
    void anotherTypeOrNoSafeBunnyMeansNoStoreHere() {
        h2.withPropertyValues("safebunny.store.type=memory")
                .run(context -> assertThat(context).doesNotHaveBean(MessageStore.class));
        h2.withPropertyValues("safebunny.enabled=false")
                .run(context -> assertThat(context).doesNotHaveBean(MessageStore.class));
    }

    @Test
    void noDataSourceIsAFailureOnlyWhenTheStoreWasAskedFor() {
        bare.run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(MessageStore.class));
        bare.withPropertyValues("safebunny.store.type=jdbc").run(context -> assertThat(context)
                .getFailure()
                .hasStackTraceContaining("SB-1404 No database for the message store")
                .hasStackTraceContaining("there are 0 beans"));
    }

    @Test
    void twoDataSourcesNeedAPrimaryOne() {
        bare.withBean("one", DataSource.class, () -> new DriverManagerDataSource(url))
                .withBean("two", DataSource.class, () -> new DriverManagerDataSource(url))
                .withPropertyValues("safebunny.store.type=jdbc")
                .run(context -> assertThat(context).getFailure().hasStackTraceContaining("there are 2 beans"));
    }

    @Test
    void transactionsThatWereAskedForNeedADataSource() {
        ApplicationContextRunner transactional = bare.withPropertyValues("safebunny.store.jdbc.transactional=true");
        transactional.run(context -> assertThat(context)
                .getFailure()
                .hasStackTraceContaining(
                        "SB-1404 No database for the message store [safebunny.store.jdbc.transactional=true]")
                .hasStackTraceContaining("there are 0 beans"));
        transactional
                .withBean("one", DataSource.class, () -> new DriverManagerDataSource(url))
                .withBean("two", DataSource.class, () -> new DriverManagerDataSource(url))
                .run(context -> assertThat(context).getFailure().hasStackTraceContaining("there are 2 beans"));
        transactional
                .withPropertyValues("safebunny.store.type=none")
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(MessageStore.class));
    }

    @Test
    void anInvalidPrefixIsRefused() {
        h2.withPropertyValues("safebunny.store.jdbc.table-prefix=a b").run(context -> assertThat(context)
                .getFailure()
                .hasStackTraceContaining(ConfigurationException.class.getName())
                .hasStackTraceContaining("SB-1301 Invalid property [safebunny.store.jdbc.table-prefix=a b]"));
    }

    @Test
    void aPoolOfOneIsRefusedWithItsArithmetic() {
        h2.withPropertyValues("spring.datasource.hikari.maximum-pool-size=1").run(context -> assertThat(context)
                .getFailure()
                .rootCause()
                .isInstanceOfSatisfying(ConfigurationException.class, refused -> {
                    assertThat(refused.code()).isEqualTo("SB-1408");
                    assertThat(refused.problem()).contains("[connections=1]");
                    assertThat(refused.action()).contains("spring.datasource.hikari.maximum-pool-size");
                }));
        h2.withPropertyValues(
                        "spring.datasource.hikari.maximum-pool-size=1", "safebunny.store.jdbc.transactional=false")
                .run(context -> assertThat(context).hasSingleBean(JdbcMessageStore.class));
    }

    @ParameterizedTest
    @CsvSource({"10,handled at once: at most 8.", "2,handled at once: at most 1."})
    void theSizeOfThePoolBoundsWhatIsHandledAtOnce(int size, String line, CapturedOutput output) {
        h2.withPropertyValues("spring.datasource.hikari.maximum-pool-size=" + size)
                .run(context -> assertThat(output).contains(line, "one of the pool's " + size + " connections"));
    }

    @Test
    void whatOpensAConnectionForEverybodyNeedsNoBound(CapturedOutput output) throws Exception {
        bare.withConfiguration(AutoConfigurations.of(
                        DataSourceAutoConfiguration.class, DataSourceTransactionManagerAutoConfiguration.class))
                .withBean(DataSource.class, () -> new DriverManagerDataSource(url))
                .run(context -> assertThat(turns(context, 100)).isEqualTo(100));
        assertThat(output).doesNotContain("handled at once", "one after the other");
    }

    @Test
    void ofAPoolOfUnknownSizeOneMessageAtATimeIsHandled(CapturedOutput output) throws Exception {
        DataSource driver = new DriverManagerDataSource(url);
        bare.withConfiguration(AutoConfigurations.of(
                        DataSourceAutoConfiguration.class, DataSourceTransactionManagerAutoConfiguration.class))
                .withBean(DataSource.class, () -> new UnknownPool(driver))
                .run(context -> assertThat(turns(context, 2)).isEqualTo(1));
        assertThat(output).contains("one after the other", "DataSourcePoolMetadataProvider");
    }

    /** How many of {@code wanted} messages get a turn while none gives its turn back. */
    private static int turns(ApplicationContext context, int wanted) {
        TransactionalJdbcMessageStore store = context.getBean(TransactionalJdbcMessageStore.class);
        AtomicInteger turns = new AtomicInteger();
        Thread thread = new Thread(() -> {
            try {
                for (int i = 0; i < wanted; i++) {
                    var unused = store.awaitPermit();
                    turns.incrementAndGet();
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        thread.start();
        Awaitility.await()
                .until(() -> thread.getState() == Thread.State.WAITING || thread.getState() == Thread.State.TERMINATED);
        thread.interrupt();
        return turns.get();
    }

    private static final class UnknownPool extends AbstractDataSource {

        private final DataSource connections;

        UnknownPool(DataSource connections) {
            this.connections = connections;
        }

        @Override
        public Connection getConnection() throws SQLException {
            return connections.getConnection();
        }

        @Override
        public Connection getConnection(String username, String password) throws SQLException {
            return connections.getConnection(username, password);
        }
    }
}
