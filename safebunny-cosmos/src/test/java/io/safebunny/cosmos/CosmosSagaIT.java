// SPDX-License-Identifier: Apache-2.0
package io.safebunny.cosmos;

import com.azure.cosmos.CosmosAsyncContainer;
import io.safebunny.store.MessageStore;
import io.safebunny.test.contract.SagaContract;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AfterEach;

class CosmosSagaIT extends SagaContract {

    private final Map<String, CosmosAsyncContainer> containers = new ConcurrentHashMap<>();

    @Override
    protected MessageStore store(String ofNode) {
        return CosmosAccount.store(containers.computeIfAbsent(ofNode, node -> CosmosAccount.newContainer()));
    }

    @Override
    protected int messages() {
        return 300;
    }

    @Override
    protected int mostRuns(int messages) {
        return messages * 7 / 5; // if each loser ran again at once, it would be 440 to 500 for 300
    }

    @AfterEach
    void deleteContainers() {
        containers.values().forEach(container -> container.delete().block());
    }
}
