// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.autoconfigure;

import io.safebunny.failure.InvalidProperty;
import io.safebunny.jdbc.bodies.JdbcBodyStore;
import io.safebunny.time.Timeline;
import javax.sql.DataSource;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.sql.init.dependency.DependsOnDatabaseInitialization;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.util.ClassUtils;

/** Large bodies in the application's database, for whoever says that all nodes share it. */
@AutoConfiguration(
        after = JdbcSchemaAutoConfiguration.class,
        beforeName = "io.safebunny.claimcheck.autoconfigure.ClaimCheckAutoConfiguration")
@ConditionalOnBooleanProperty(name = "safebunny.enabled", matchIfMissing = true)
@ConditionalOnBooleanProperty("safebunny.claim-check.jdbc.enabled")
@EnableConfigurationProperties({JdbcStoreProperties.class, JdbcBodyStoreProperties.class})
final class JdbcBodyStoreAutoConfiguration {

    private static final String ENABLED = "safebunny.claim-check.jdbc.enabled";
    private static final String CLAIM_CHECK = "io.safebunny.claimcheck.StoringClaimCheck";

    @Bean
    @ConditionalOnMissingBean(JdbcBodyStore.class)
    @DependsOnDatabaseInitialization
    JdbcBodyStore safeBunnyJdbcBodyStore(
            ObjectProvider<DataSource> dataSources,
            JdbcStoreProperties store,
            JdbcBodyStoreProperties properties,
            Timeline timeline,
            ApplicationContext context) {
        if (!ClassUtils.isPresent(CLAIM_CHECK, context.getClassLoader())) {
            throw InvalidProperty.of(
                    ENABLED,
                    true,
                    "nothing puts bodies into a store without safebunny-claimcheck",
                    "Add io.safebunny:safebunny-claimcheck, or remove the property.");
        }
        DataSource dataSource = dataSources.getIfUnique();
        if (dataSource == null) {
            throw InvalidProperty.of(
                    ENABLED,
                    true,
                    "there is no DataSource, or there are several and none is primary",
                    "Define one, or a JdbcBodyStore bean with that of your choice, or remove the property.");
        }
        return new JdbcBodyStore(dataSource, store.tablePrefix(), properties.timeout(), timeline);
    }
}
