// SPDX-License-Identifier: Apache-2.0
package io.safebunny.cosmos;

import com.azure.cosmos.CosmosAsyncContainer;
import io.safebunny.store.MessageStore;
import io.safebunny.test.contract.ScheduledContract;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AfterEach;

class CosmosScheduledIT extends ScheduledContract {

    private final Map<String, CosmosAsyncContainer> containers = new ConcurrentHashMap<>();

    @Override
    protected MessageStore store(String ofNode) {
        return CosmosAccount.store(containers.computeIfAbsent(ofNode, node -> CosmosAccount.newContainer()));
    }

    @AfterEach
    void deleteContainers() {
        containers.values().forEach(container -> container.delete().block());
    }
}
