// SPDX-License-Identifier: Apache-2.0
package io.safebunny.cosmos;

import com.azure.cosmos.CosmosAsyncContainer;
import io.safebunny.store.MessageStore;
import io.safebunny.test.contract.store.MessageStoreContract;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;

@Tag("once")
class CosmosMessageStoreContractIT extends MessageStoreContract {

    private final CosmosAsyncContainer container = CosmosAccount.newContainer();
    private final CosmosAsyncContainer otherNode = CosmosAccount.newContainer();

    @Override
    protected MessageStore store() {
        return CosmosAccount.store(container);
    }

    @Override
    protected MessageStore anotherInstance() {
        return CosmosAccount.store(
                CosmosAccount.otherClient().getDatabase(CosmosAccount.DATABASE).getContainer(container.getId()));
    }

    @Override
    protected MessageStore otherNode() {
        return CosmosAccount.store(otherNode);
    }

    @Override
    protected Duration retention() {
        return CosmosAccount.RETENTION.handled();
    }

    @Override
    protected Duration poisonRetention() {
        return CosmosAccount.RETENTION.poisoned();
    }

    @Override
    protected boolean forgetsByItself() {
        return true;
    }

    @Override
    protected long largestContent() {
        return CosmosMessageStore.MAX_DOCUMENT_SIZE;
    }

    @AfterEach
    void deleteContainers() {
        container.delete().block();
        otherNode.delete().block();
    }
}
