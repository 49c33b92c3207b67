// SPDX-License-Identifier: Apache-2.0
package io.safebunny.cosmos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.azure.cosmos.CosmosAsyncClient;
import com.azure.cosmos.CosmosAsyncContainer;
import com.azure.cosmos.CosmosClient;
import com.azure.cosmos.models.CosmosContainerProperties;
import com.azure.cosmos.models.IndexingPolicy;
import io.safebunny.failure.ConfigurationException;
import io.safebunny.test.database.CosmosProxy;
import io.safebunny.test.database.CosmosProxy.Kind;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class CosmosContainersIT {

    private final String name = CosmosAccount.newName();

    @AfterEach
    void deleteContainer() {
        CosmosAccount.client()
                .getDatabase(CosmosAccount.DATABASE)
                .getContainer(name)
                .delete()
                .onErrorComplete()
                .block();
    }

    private CosmosAsyncContainer open() {
        return CosmosContainers.open(CosmosAccount.client(), CosmosAccount.options(name));
    }

    private void create(CosmosContainerProperties properties) {
        CosmosAccount.client().createDatabaseIfNotExists(CosmosAccount.DATABASE).block();
        CosmosAccount.client()
                .getDatabase(CosmosAccount.DATABASE)
                .createContainer(properties)
                .block();
    }

    @Test
    void createsTheContainerItAccepts() {
        open();
        CosmosAsyncContainer again = open();

        CosmosContainerProperties properties =
                Objects.requireNonNull(again.read().block()).getProperties();
        assertThat(properties.getPartitionKeyDefinition().getPaths()).containsExactly("/correlationId");
        assertThat(properties.getDefaultTimeToLiveInSeconds()).isEqualTo(-1);
        assertThat(properties.getIndexingPolicy().getExcludedPaths())
                .extracting(path -> path.getPath())
                .contains("/*");
        assertThat(properties.getIndexingPolicy().getIncludedPaths())
                .extracting(path -> path.getPath())
                .contains(
                        "/correlationId/?",
                        "/listing/due/?",
                        "/listing/kind/?",
                        "/listing/status/?",
                        "/listing/since/?");
    }

    @Test
    void acceptsAContainerOfBeforeListingsAndSearches() {
        CosmosContainerProperties earlier = ContainerSettings.create(name);
        IndexingPolicy policy = earlier.getIndexingPolicy();
        create(earlier.setIndexingPolicy(policy.setIncludedPaths(policy.getIncludedPaths().stream()
                .filter(path -> !path.getPath().startsWith("/listing/")
                        && !path.getPath().equals("/correlationId/?"))
                .toList())));

        assertThat(open().getId()).isEqualTo(name);
    }

    /** Each of them finds neither database nor container before one of them has created it. */
    @Test
    void instancesThatStartAtOnceAllGetIt() throws Exception {
        CosmosContainerOptions options = new CosmosContainerOptions("db-" + name, name, true, 0, false);
        int instances = 4;
        CyclicBarrier start = new CyclicBarrier(instances);
        ExecutorService threads = Executors.newFixedThreadPool(instances);
        try {
            List<Future<CosmosAsyncContainer>> opened = threads.invokeAll(Collections.nCopies(instances, () -> {
                start.await(10, TimeUnit.SECONDS);
                return CosmosContainers.open(CosmosAccount.client(), options);
            }));

            assertThat(opened).allSatisfy(container -> assertThat(container).succeedsWithin(Duration.ofSeconds(10)));
        } finally {
            threads.shutdownNow();
            CosmosAccount.client()
                    .getDatabase("db-" + name)
                    .delete()
                    .onErrorComplete()
                    .block();
        }
    }

    @Test
    void worksWithABlockingClientToo() {
        try (CosmosClient client =
                CosmosAccount.builder(CosmosAccount.server().endpoint()).buildClient()) {
            CosmosAsyncContainer container = CosmosContainers.open(client, CosmosAccount.options(name));

            assertThat(CosmosAccount.store(container).find(CosmosAccount.key())).isNull();
        }
    }

    @Test
    void refusesAContainerWithAnotherPartitionKey() {
        create(ContainerSettings.create(name)
                .setPartitionKeyDefinition(new CosmosContainerProperties(name, "/tenant").getPartitionKeyDefinition()));

        assertRefused("SB-1411", "its partition key is /tenant and must be /correlationId");
    }

    @Test
    void refusesAContainerThatForgetsNothing() {
        create(ContainerSettings.create(name).setDefaultTimeToLiveInSeconds(null));

        assertRefused("SB-1411", "its time to live is off");
    }

    @Test
    void refusesAContainerThatForgetsUnfinishedRecords() {
        create(ContainerSettings.create(name).setDefaultTimeToLiveInSeconds(3600));

        assertRefused("SB-1411", "its default time to live is 3600 s");
    }

    @Test
    void refusesAContainerThatCannotBeSwept() {
        create(ContainerSettings.create(name).setIndexingPolicy(new IndexingPolicy()));

        assertRefused("SB-1411", "no composite index of /state and /_ts");
    }

    @Test
    void refusesToCreateWhenItMayNot() {
        assertThatThrownBy(() -> CosmosContainers.open(
                        CosmosAccount.client(),
                        new CosmosContainerOptions(CosmosAccount.DATABASE, name, false, 0, false)))
                .isInstanceOf(ConfigurationException.class)
                .hasMessageStartingWith("SB-1412")
                .hasMessageContaining("create-container=true");
    }

    @Test
    void refusesSeveralWriteRegionsUnlessTheyAreAccepted() {
        try (CosmosProxy proxy = CosmosProxy.before(CosmosAccount.server())) {
            proxy.rewriteAccount(account ->
                    account.replace("\"enableMultipleWriteLocations\":false", "\"enableMultipleWriteLocations\":true"));
            try (CosmosAsyncClient client =
                    CosmosAccount.builder(proxy.endpoint()).buildAsyncClient()) {
                assertThatThrownBy(() -> CosmosContainers.open(client, CosmosAccount.options(name)))
                        .isInstanceOf(ConfigurationException.class)
                        .hasMessageStartingWith("SB-1413")
                        .hasMessageContaining("accept-multiple-write-regions=true");

                assertThat(CosmosContainers.open(
                                client, new CosmosContainerOptions(CosmosAccount.DATABASE, name, true, 0, true)))
                        .isNotNull();
            }
        }
    }

    @Test
    void saysThatPermissionIsMissing() {
        assertThatThrownBy(() -> openRefusedWith(403))
                .isInstanceOf(ConfigurationException.class)
                .hasMessageStartingWith("SB-1412")
                .hasMessageContaining("status=403");
    }

    @Test
    void saysThatTheAccountDoesNotAnswer() {
        assertThatThrownBy(() -> openRefusedWith(500))
                .isInstanceOf(ConfigurationException.class)
                .hasMessageStartingWith("SB-1414");
    }

    private void openRefusedWith(int status) {
        try (CosmosProxy proxy = CosmosProxy.before(CosmosAccount.server());
                CosmosAsyncClient client =
                        CosmosAccount.builder(proxy.endpoint()).buildAsyncClient()) {
            proxy.answer(Kind.METADATA, status, Map.of());
            CosmosContainers.open(client, CosmosAccount.options(name));
        }
    }

    private void assertRefused(String code, String why) {
        assertThatThrownBy(this::open)
                .isInstanceOf(ConfigurationException.class)
                .hasMessageStartingWith(code)
                .hasMessageContaining(why)
                .hasMessageContaining(name);
    }
}
