// SPDX-License-Identifier: Apache-2.0
package io.safebunny.docs.erasing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.safebunny.Bunny;
import io.safebunny.BunnyHandler;
import io.safebunny.encryption.BunnySubjects;
import io.safebunny.encryption.KeyProvider;
import io.safebunny.encryption.SubjectKeys;
import io.safebunny.failure.InvalidPublicationException;
import io.safebunny.jdbc.subjects.JdbcSubjectKeys;
import io.safebunny.saga.Sagas;
import io.safebunny.test.encryption.MemoryKeys;
import io.safebunny.test.encryption.MemorySubjectKeys;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

/** The listings of {@code docs/erasure.md}, compiled and run. */
class ErasureListingsTest {

    static final BlockingQueue<Object> HANDLED = new LinkedBlockingQueue<>();

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {

        @BunnyHandler(from = "billing")
        void on(CardCharged charged) {
            HANDLED.add(charged);
        }

        @Bean
        KeyProvider keys() {
            return MemoryKeys.of("payments", "subjects");
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Elsewhere {

        @Bean
        @Qualifier("people")
        DataSource people() {
            return new DriverManagerDataSource("jdbc:h2:mem:people;DB_CLOSE_DELAY=-1");
        }

        @Bean
        SubjectKeys subjectKeys(@Qualifier("people") DataSource people) {
            return new JdbcSubjectKeys(people, "safebunny_", Duration.ofSeconds(5));
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Till {

        @Bean
        KeyProvider keys() {
            return MemoryKeys.of("payments", "subjects");
        }

        @Bean
        CardSaga cardSaga() {
            return new CardSaga();
        }
    }

    private static ApplicationContextRunner application(Class<?> configuration, String node) {
        return new ApplicationContextRunner()
                .withUserConfiguration(configuration)
                .withPropertyValues(
                        "safebunny.node=" + node, "safebunny.transport=memory", "safebunny.store.type=memory");
    }

    private static ApplicationContextRunner withKeys(Class<?> configuration, String node) {
        return application(configuration, node).withBean(SubjectKeys.class, MemorySubjectKeys::new);
    }

    @Test
    void erasesAPerson() {
        withKeys(Application.class, "billing").withBean(Goodbye.class).run(context -> {
            assertThat(context).hasNotFailed();
            context.getBean(Bunny.class).publish(new CardCharged("o-1", "ada", "4111"));
            assertThat(HANDLED.poll(30, TimeUnit.SECONDS)).isEqualTo(new CardCharged("o-1", "ada", "4111"));
            assertThat(context.getBean(BunnySubjects.class).find("ada").hadKey())
                    .isTrue();

            assertThat(context.getBean(Goodbye.class).to("ada")).isNotNull();

            assertThat(context.getBean(BunnySubjects.class).find("ada").hadKey())
                    .isFalse();
            assertThatExceptionOfType(InvalidPublicationException.class)
                    .isThrownBy(() -> context.getBean(Bunny.class).publish(new CardCharged("o-2", "", "4111")))
                    .withMessageContaining("subject=customer");
        });
    }

    @Test
    void doesNotStartWithoutAPlaceForTheKeysOfPersons() {
        application(Application.class, "billing").run(context -> assertThat(context)
                .getFailure()
                .rootCause()
                .hasMessageContainingAll("SB-1319", "CardCharged", "SubjectKeys"));
    }

    @Test
    void aNodeAsksADatabaseOfItsOwnChoice() {
        new ApplicationContextRunner().withUserConfiguration(Elsewhere.class).run(context -> assertThat(context)
                .hasSingleBean(SubjectKeys.class));
    }

    @Test
    void erasesTheStateOfASaga() {
        withKeys(Till.class, "till").run(context -> {
            String saga = context.getBean(Bunny.class)
                    .publish(new CardCharged("o-1", "ada", "4111"))
                    .correlationId();
            Sagas sagas = context.getBean(Sagas.class);
            await().until(() -> !sagas.find(saga).isEmpty());
            assertThat(sagas.find(saga)).singleElement().satisfies(view -> assertThat(view.encrypted())
                    .isTrue());
            assertThat(context.getBean(BunnySubjects.class).erase("ada").hadKey())
                    .isTrue();
        });
    }
}
