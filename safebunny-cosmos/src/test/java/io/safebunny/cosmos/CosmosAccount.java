// SPDX-License-Identifier: Apache-2.0
package io.safebunny.cosmos;

import com.azure.cosmos.CosmosAsyncClient;
import com.azure.cosmos.CosmosAsyncContainer;
import com.azure.cosmos.CosmosClientBuilder;
import com.azure.cosmos.ThrottlingRetryOptions;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.safebunny.store.Retention;
import io.safebunny.store.record.Fingerprint;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordKey;
import io.safebunny.test.database.CosmosProxy;
import io.safebunny.test.database.CosmosServer;
import java.net.URI;
import java.time.Duration;
import java.util.UUID;

/** The one server of all tests of this virtual machine, which ends with it, and two clients of it. */
public final class CosmosAccount {

    static final Retention RETENTION = new Retention(Duration.ofDays(7), Duration.ofDays(30));
    static final String DATABASE = "safebunny-test";
    static final Duration TIMEOUT = Duration.ofSeconds(10);

    private static final CosmosServer SERVER = CosmosServer.start();
    /** The private server does not execute batches as the service does, and its proxy does. */
    private static final URI ENDPOINT =
            SERVER.isPrivate() ? CosmosProxy.before(SERVER).endpoint() : SERVER.endpoint();

    private static final CosmosAsyncClient CLIENT = builder(ENDPOINT).buildAsyncClient();
    private static final CosmosAsyncClient OTHER_CLIENT = builder(ENDPOINT).buildAsyncClient();

    private CosmosAccount() {}

    public static CosmosServer server() {
        return SERVER;
    }

    static CosmosAsyncClient client() {
        return CLIENT;
    }

    static CosmosAsyncClient otherClient() {
        return OTHER_CLIENT;
    }

    public static CosmosClientBuilder builder(URI endpoint) {
        return new CosmosClientBuilder()
                .endpoint(endpoint.toString())
                .key(SERVER.key())
                .gatewayMode()
                .endpointDiscoveryEnabled(false)
                .throttlingRetryOptions(new ThrottlingRetryOptions().setMaxRetryAttemptsOnThrottledRequests(0));
    }

    static CosmosContainerOptions options(String container) {
        return new CosmosContainerOptions(DATABASE, container, true, 1000, false);
    }

    static String newName() {
        return "safebunny-" + UUID.randomUUID();
    }

    static CosmosAsyncContainer newContainer() {
        return CosmosContainers.open(CLIENT, options(newName()));
    }

    static CosmosMessageStore store(CosmosAsyncContainer container) {
        return new CosmosMessageStore(container, RETENTION, TIMEOUT, new SimpleMeterRegistry());
    }

    static RecordKey key() {
        return new RecordKey(UUID.randomUUID().toString(), UUID.randomUUID().toString());
    }

    static MessageRecord claim(RecordKey key) {
        return MessageRecord.claim(
                key, "first", Duration.ofSeconds(30), 0, new Fingerprint(Fingerprint.SHA256, -4711, -1));
    }
}
