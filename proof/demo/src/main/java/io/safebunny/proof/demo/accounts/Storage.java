// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.demo.accounts;

import io.safebunny.proof.demo.command.Options;
import io.safebunny.proof.demo.command.StoreChoice;
import io.safebunny.proof.demo.command.UsageException;
import io.safebunny.test.database.CosmosProxy;
import io.safebunny.test.database.CosmosServer;
import io.safebunny.test.database.DatabaseUnavailableException;
import java.net.URI;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;

/** The storage of the nodes' message records and ledger, including the servers started for it. */
public final class Storage implements AutoCloseable {

    /** System property of the Cosmos DB client: private servers have self-signed certificates. */
    public static final String ANY_CERTIFICATE = "COSMOS.EMULATOR_SERVER_CERTIFICATE_VALIDATION_DISABLED";

    private final LedgerDatabase ledger;
    private final @Nullable CosmosServer cosmos;
    private @Nullable CosmosProxy proxy;
    private final Map<String, String> properties = new LinkedHashMap<>();
    private final long lastRow;

    private Storage(LedgerDatabase ledger, @Nullable CosmosServer cosmos) {
        this.ledger = ledger;
        this.cosmos = cosmos;
        this.lastRow = client().sql("select coalesce(max(id), 0) from ledger")
                .query(Long.class)
                .single();
        properties.putAll(ledger.properties());
    }

    /** @throws UsageException when a server does not start or answer */
    public static Storage open(Options options) {
        try {
            Storage storage = start(options);
            storage.configure(options);
            return storage;
        } catch (DatabaseUnavailableException e) {
            throw new UsageException("no private server for --store " + options.store()
                    + ". Use --jdbc for one that runs already: " + e.getMessage());
        }
    }

    private static Storage start(Options options) {
        StoreChoice choice = options.store();
        return switch (choice.kind()) {
            case MEMORY -> new Storage(LedgerDatabase.inThisProcess(), null);
            case H2 -> new Storage(h2(options), null);
            case POSTGRES ->
                new Storage(
                        choice.address() == null
                                ? LedgerDatabase.privatePostgres()
                                : LedgerDatabase.postgres(choice.address()),
                        null);
            case MYSQL ->
                new Storage(
                        choice.address() == null
                                ? LedgerDatabase.privateMySql()
                                : LedgerDatabase.mySql(choice.address()),
                        null);
            case COSMOS -> {
                // started first, because it is the one that may not be installed
                CosmosServer server = choice.isGiven() || !options.deduplicate() ? null : CosmosServer.start();
                yield new Storage(h2(options), server);
            }
        };
    }

    private static LedgerDatabase h2(Options options) {
        return options.kill() ? LedgerDatabase.served() : LedgerDatabase.inThisProcess();
    }

    private void configure(Options options) {
        StoreChoice choice = options.store();
        if (choice.kind().isTransactional()) {
            properties.put("safebunny.store.type", "jdbc");
            properties.put("safebunny.store.jdbc.initialize-schema", "always");
            // each message being handled holds a connection, and a second one during a step; this keeps the total below
            // the pool size
            properties.put("safebunny.listener.prefetch", "4");
        }
        if (choice.kind() == StoreChoice.Kind.COSMOS) {
            properties.put("ledger.remote", "true");
            properties.put("safebunny.store.type", "cosmos");
            properties.put("safebunny.outbox.enabled", "false"); // the database is the ledger's, not the nodes'
            properties.put("spring.cloud.azure.cosmos.connection-mode", "gateway");
            account(options);
        }
        if (!options.deduplicate()) {
            properties.put("safebunny.store.type", "none");
        }
    }

    private void account(Options options) {
        if (cosmos == null) {
            StoreChoice choice = options.store();
            properties.put("spring.cloud.azure.cosmos.endpoint", String.valueOf(choice.address()));
            properties.put("spring.cloud.azure.cosmos.key", Objects.requireNonNullElse(choice.key(), ""));
            return;
        }
        URI endpoint = cosmos.endpoint();
        if (cosmos.isPrivate()) {
            endpoint = executingBatches(cosmos);
            System.setProperty(ANY_CERTIFICATE, "true");
        }
        properties.put("spring.cloud.azure.cosmos.endpoint", endpoint.toString());
        properties.put("spring.cloud.azure.cosmos.key", cosmos.key());
    }

    /** Sagas, and what is handled in order, need batches, which the private server cannot execute, and its proxy does. */
    private URI executingBatches(CosmosServer server) {
        CosmosProxy opened = CosmosProxy.before(server);
        proxy = opened;
        URI endpoint = opened.endpoint();
        // or the account would lead its clients past the proxy
        opened.rewriteAccount(account -> account.replace(":" + server.endpoint().getPort(), ":" + endpoint.getPort()));
        return endpoint;
    }

    /** Spring Boot properties for the nodes. */
    public Map<String, String> properties() {
        return properties;
    }

    /** The ledger of all nodes, for use by one thread; may be read after they have stopped. */
    public JdbcClient client() {
        return ledger.client();
    }

    /** Number of the last row that existed when the storage was opened. */
    public long lastRow() {
        return lastRow;
    }

    /** Stops the servers that were started, and deletes their data. */
    @Override
    public void close() {
        ledger.close();
        if (proxy != null) {
            proxy.close();
        }
        if (cosmos != null) {
            cosmos.close();
        }
    }
}
