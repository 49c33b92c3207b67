// SPDX-License-Identifier: Apache-2.0
package io.safebunny.cosmos.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import com.azure.cosmos.CosmosAsyncClient;
import com.azure.cosmos.CosmosClient;
import com.azure.cosmos.CosmosClientBuilder;
import com.azure.cosmos.models.PartitionKey;
import com.fasterxml.jackson.databind.JsonNode;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.safebunny.cosmos.CosmosAccount;
import io.safebunny.cosmos.CosmosMessageStore;
import io.safebunny.cosmos.CosmosRecords;
import io.safebunny.node.SafeBunnyOptions;
import io.safebunny.store.MessageStore;
import io.safebunny.store.record.Fingerprint;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordKey;
import io.safebunny.store.record.RecordState;
import java.time.Duration;
import java.util.Objects;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Contexts that reach the server by every way there is. */
class CosmosStoreAutoConfigurationIT {

    private final String node = "billing-" + UUID.randomUUID();
    private final String database = "database-" + UUID.randomUUID();

    private final ApplicationContextRunner context = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(CosmosStoreAutoConfiguration.class))
            .withBean(MeterRegistry.class, SimpleMeterRegistry::new)
            .withBean(SafeBunnyOptions.class, () -> SafeBunnyOptions.of(node))
            .withPropertyValues("spring.cloud.azure.cosmos.database=" + database);

    private static String endpoint() {
        return CosmosAccount.server().endpoint().toString();
    }

    private static CosmosClientBuilder builder() {
        return CosmosAccount.builder(CosmosAccount.server().endpoint());
    }

    @AfterEach
    void deleteDatabase() {
        try (CosmosAsyncClient client = builder().buildAsyncClient()) {
            client.getDatabase(database).delete().onErrorComplete().block();
        }
    }

    @Test
    void connectsByThePropertiesOfSpringCloudAzure() {
        context.withPropertyValues(
                        "spring.cloud.azure.cosmos.endpoint=" + endpoint(),
                        "spring.cloud.azure.cosmos.key="
                                + CosmosAccount.server().key(),
                        "spring.cloud.azure.cosmos.connection-mode=gateway")
                .run(started -> {
                    assertWorks(started);
                    assertContainer("safebunny-" + node);
                });
    }

    @Test
    void usesTheApplicationsAsynchronousClientAndLeavesItOpen() {
        try (CosmosAsyncClient client = builder().buildAsyncClient()) {
            context.withBean(CosmosAsyncClient.class, () -> client, bean -> bean.setDestroyMethodName(""))
                    .withPropertyValues("safebunny.store.cosmos.container=mine")
                    .run(CosmosStoreAutoConfigurationIT::assertWorks);

            assertThat(client.getDatabase(database).getContainer("mine").read().block())
                    .isNotNull();
        }
    }

    @Test
    void usesTheApplicationsBlockingClient() {
        context.withBean(CosmosClient.class, () -> builder().buildClient())
                .run(CosmosStoreAutoConfigurationIT::assertWorks);
    }

    @Test
    void usesTheApplicationsClientBuilder() {
        context.withBean(CosmosClientBuilder.class, CosmosStoreAutoConfigurationIT::builder)
                .run(CosmosStoreAutoConfigurationIT::assertWorks);
    }

    @Test
    void doesNotCreateAContainerWhenItMayNot() {
        context.withBean(CosmosClientBuilder.class, CosmosStoreAutoConfigurationIT::builder)
                .withPropertyValues("safebunny.store.cosmos.create-container=false")
                .run(failed -> assertThat(failed.getStartupFailure()).hasStackTraceContaining("SB-1412"));
    }

    @Test
    void keepsPoisonedRecordsAsLongAsTheNodeIsTold() {
        new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(CosmosStoreAutoConfiguration.class))
                .withBean(SafeBunnyOptions.class, () -> SafeBunnyOptions.of(node)
                        .withRetention(Duration.ofDays(3))
                        .withPoisonRetention(Duration.ofDays(40)))
                .withBean(CosmosClientBuilder.class, CosmosStoreAutoConfigurationIT::builder)
                .withPropertyValues(
                        "spring.cloud.azure.cosmos.database=" + database, "safebunny.store.cosmos.container=mine")
                .run(started -> {
                    MessageStore store = started.getBean(MessageStore.class);
                    assertThat(daysToLive(store, RecordState.DISPATCHED)).isEqualTo(3);
                    assertThat(daysToLive(store, RecordState.POISONED)).isEqualTo(40);
                });
    }

    private long daysToLive(MessageStore store, RecordState end) {
        MessageRecord created = store.create(claim("customer:42"));
        store.replace(created.next(end));
        try (CosmosClient client = builder().buildClient()) {
            JsonNode document = client.getDatabase(database)
                    .getContainer("mine")
                    .readItem(created.key().messageId(), new PartitionKey("customer:42"), JsonNode.class)
                    .getItem();
            return Duration.ofSeconds(document.path("ttl").asLong()).toDays();
        }
    }

    private static MessageRecord claim(String correlationId) {
        RecordKey key = new RecordKey(correlationId, UUID.randomUUID().toString());
        return MessageRecord.claim(key, "me", Duration.ofSeconds(30), 0, new Fingerprint(Fingerprint.SHA256, 1, 1));
    }

    private static void assertWorks(AssertableApplicationContext started) {
        assertThat(started).hasSingleBean(MessageStore.class);
        MessageStore store = started.getBean(CosmosMessageStore.class);
        MessageRecord created = store.create(claim("customer:42"));
        RecordKey key = created.key();
        store.replace(created.next(RecordState.DISPATCHED));

        assertThat(Objects.requireNonNull(store.find(key)).state()).isEqualTo(RecordState.DISPATCHED);
        assertThat(started.getBean(CosmosRecords.class).ofCorrelation("customer:42"))
                .containsExactly(Objects.requireNonNull(store.find(key)));
        assertThat(started.getBean(MeterRegistry.class)
                        .get("safebunny.cosmos.request.charge")
                        .tag("operation", "create")
                        .summary()
                        .count())
                .isEqualTo(1);
    }

    private void assertContainer(String name) {
        try (CosmosClient client = builder().buildClient()) {
            assertThat(client.getDatabase(database).getContainer(name).read().getStatusCode())
                    .isEqualTo(200);
        }
    }
}
