// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.bodies.BodyStore;
import io.safebunny.claimcheck.StoringClaimCheck;
import io.safebunny.concurrency.Workers;
import io.safebunny.jdbc.bodies.JdbcBodyStore;
import io.safebunny.node.SafeBunnyOptions;
import io.safebunny.time.SystemTimeline;
import io.safebunny.time.Timeline;
import java.util.UUID;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

class JdbcBodyStoreAutoConfigurationTest {

    private final ApplicationContextRunner application = new ApplicationContextRunner()
            .withConfiguration(
                    AutoConfigurations.of(JdbcSchemaAutoConfiguration.class, JdbcBodyStoreAutoConfiguration.class))
            .withBean(Timeline.class, () -> new SystemTimeline("test"))
            .withBean(
                    DataSource.class,
                    () -> new DriverManagerDataSource("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1"))
            .withPropertyValues("safebunny.store.jdbc.initialize-schema=always");

    @Test
    void thereIsNoneUnlessItIsAskedFor() {
        application.run(context -> assertThat(context).doesNotHaveBean(BodyStore.class));
    }

    @Test
    void keepsTheBodiesOfTheClaimCheck() throws Exception {
        application
                .withConfiguration(AutoConfigurations.of(
                        Class.forName("io.safebunny.claimcheck.autoconfigure.ClaimCheckAutoConfiguration")))
                .withBean(SafeBunnyOptions.class, () -> SafeBunnyOptions.of("scanner"))
                .withBean(Workers.class, () -> new Workers(Runnable::run))
                .withPropertyValues(
                        "safebunny.claim-check.jdbc.enabled=true", "safebunny.store.type=none") // all that is in it
                .run(context -> assertThat(
                                context.getBean(StoringClaimCheck.class).store())
                        .isInstanceOf(JdbcBodyStore.class));
    }

    @Test
    void isRefusedWithoutADatabase() {
        new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(JdbcBodyStoreAutoConfiguration.class))
                .withBean(Timeline.class, () -> new SystemTimeline("test"))
                .withPropertyValues("safebunny.claim-check.jdbc.enabled=true")
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .hasMessageContainingAll("SB-1301", "there is no DataSource"));
    }

    @Test
    void isRefusedWhereNothingPutsBodies() {
        application
                .withClassLoader(new FilteredClassLoader(StoringClaimCheck.class))
                .withPropertyValues("safebunny.claim-check.jdbc.enabled=true")
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .hasMessageContainingAll(
                                "SB-1301", "safebunny.claim-check.jdbc.enabled", "io.safebunny:safebunny-claimcheck"));
    }
}
