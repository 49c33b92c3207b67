// SPDX-License-Identifier: Apache-2.0
package io.safebunny.cosmos;

import static io.safebunny.cosmos.CosmosAccount.claim;
import static io.safebunny.cosmos.CosmosAccount.key;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.azure.cosmos.CosmosAsyncClient;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.safebunny.store.StoreUnavailableException;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordState;
import io.safebunny.test.database.CosmosServer;
import java.time.Duration;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** The whole server freezes, goes on, and dies. */
class CosmosServerFailureIT {

    @Test
    void isUnavailableWhileTheServerIsFrozenOrDead() {
        try (CosmosServer server = CosmosServer.startPrivate();
                CosmosAsyncClient client = CosmosAccount.builder(server.endpoint())
                        .key(server.key())
                        .buildAsyncClient()) {
            CosmosMessageStore store = new CosmosMessageStore(
                    CosmosContainers.open(client, CosmosAccount.options("frozen")),
                    CosmosAccount.RETENTION,
                    Duration.ofSeconds(2),
                    new SimpleMeterRegistry());
            MessageRecord created = store.create(claim(key()));

            server.pause();
            assertThatThrownBy(() -> store.replace(created.next(RecordState.COMPLETED)))
                    .isInstanceOf(StoreUnavailableException.class);
            server.resume();
            // whether the write of before took place is unknown, and now found out
            assertThat(Objects.requireNonNull(store.find(created.key())).owner())
                    .isEqualTo("first");

            server.kill();
            assertThatThrownBy(() -> store.find(created.key())).isInstanceOf(StoreUnavailableException.class);
        }
    }
}
