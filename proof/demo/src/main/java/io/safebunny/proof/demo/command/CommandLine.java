// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.demo.command;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads the arguments. Values may follow their option after a space or an equals sign. */
public final class CommandLine {

    public static final String USAGE = """
        usage: bin/demo [--orders N] [--chaos] [--seed S] [--rabbit amqp://…] [--store KIND] [--kill] [--json]
                        [--serve] [--http PORT] [--orchestrated] [--dashboard]
               bin/demo --quickstart

          --quickstart     run the application of the README instead; without other options

          --orders N       place N orders, 1 to 1000000 (default 1000)
          --chaos          messages arrive twice, handlers throw, the bank times out, customers click twice
          --seed S         which orders there are and where chaos strikes: any whole number (default 1;
                           with --dashboard 4, where much goes wrong at once)
          --orchestrated   the node orders has a saga with state: it reserves, charges and ships by commands, and has
                           that undone when a payment is late or a person gives up; with --chaos, commands and undos
                           fail for good, and sagas are repaired
          --rabbit URI     use the RabbitMQ at amqp://USER:PASSWORD@HOST:PORT/VIRTUAL-HOST instead of the
                           broker inside this process
          --store KIND     where handled messages are remembered:
                           memory    in the process (default)
                           h2        in H2, in one transaction with the ledger
                           postgres  in PostgreSQL, in one transaction with the ledger: a private server, or the
                                     database that --jdbc names
                           mysql     in MySQL, likewise
                           cosmos    in Azure Cosmos DB, the ledger elsewhere: a private server with its API (needs
                                     Node.js and npm), or the account that --cosmos-endpoint and --cosmos-key name
          --jdbc URL       jdbc:postgresql://HOST:PORT/DATABASE?user=USER&password=PASSWORD, for --store postgres, or
                           jdbc:mysql://…, for --store mysql; the demo makes tables in it and leaves them there
          --cosmos-endpoint URI, --cosmos-key KEY
                           https://ACCOUNT.documents.azure.com:443/ and its key, for --store cosmos
          --kill           run the nodes in two processes, kill one (SIGKILL) when half of the orders have ended,
                           and let the other finish; --store h2 unless another durable one is chosen; a private
                           RabbitMQ, if one is installed, unless --rabbit names one
          --json           print one JSON object instead of the table; it is the last line of standard output
          --serve          place no orders: take PlaceOrder messages from any AMQP client until interrupted
                           (needs --rabbit)
          --node NAME      run only this node in this process: storefront, orders, billing, shipping or
                           notifications (needs --rabbit; see samples/order-saga/README.md)
          --http PORT      with --serve or --node: all of /actuator, with nothing to guard it, so on this machine only: of
                           the storefront on that port, then of orders, billing, shipping and notifications; 0 for
                           free ports, which it prints. To try things out, as docs/tour.md does, the storefront takes
                           PUT /orders/ID, billing PUT /gateway with {"works": false} to break the bank and
                           {"works": true} to repair it, and GET /ledger at billing tells what was done
          --dashboard      print the address of a page that shows a node and repairs what is stuck in it (docs/dashboard.md): with
                           --serve of billing, with --orchestrated of orders; nothing guards it, so on this machine only.
                           Without --serve the run is orchestrated, an order comes every 0.6 s, 1000 at most, and nobody
                           repairs anything but you, until it ends: after ten minutes, or when you press Enter (in the
                           background it needs </dev/null)
          --safebunny.…=VALUE
                           a setting of SafeBunny for all nodes; --safebunny.topology=plan needs --node, and shows what the
                           node needs on the broker instead of running it, with the exit status of docs/operations.md
          --help           show this

        Exit status: 0 no order is lost, nothing happened twice, and (with --orchestrated) every saga has ended and what
        was charged and not refunded is shipped; 1 otherwise, 2 these arguments make no sense.\
        """;

    /** Begins a setting of SafeBunny, as it does for any Spring Boot application. */
    private static final String SETTING = "--safebunny.";

    /** The highest first port that leaves one for each node. */
    private static final int HIGHEST_PORT = 65_536 - Node.values().length;

    /** With this seed, each kind of trouble has happened after half a minute. */
    private static final long EVENTFUL = 4;

    private final Deque<String> arguments = new ArrayDeque<>();
    private @Nullable Long seed;
    private StoreChoice.@Nullable Kind store;
    private @Nullable String jdbc;
    private @Nullable String cosmosEndpoint;
    private @Nullable String cosmosKey;

    private CommandLine(List<String> arguments) {
        for (String argument : arguments) {
            int equals = argument.indexOf('=');
            if (argument.startsWith("--") && equals > 0) {
                this.arguments.add(argument.substring(0, equals));
                this.arguments.add(argument.substring(equals + 1));
            } else {
                this.arguments.add(argument);
            }
        }
    }

    public static boolean asksForHelp(String... arguments) {
        return Arrays.asList(arguments).contains("--help")
                || Arrays.asList(arguments).contains("-h");
    }

    /** @throws UsageException when the arguments make no sense */
    public static Options parse(String... arguments) {
        Options options = new CommandLine(List.of(arguments)).read();
        if (options.dashboard()) {
            options = withPage(options);
        }
        if (options.serve() && options.rabbit() == null) {
            throw new UsageException(
                    "--serve needs --rabbit: other processes cannot reach the broker inside this one. Add"
                            + " --rabbit with the address of a broker");
        }
        if (options.node() != null && options.rabbit() == null) {
            throw new UsageException(
                    "--node needs --rabbit: a node alone has nobody to talk to inside this process. Add"
                            + " --rabbit with the address of a broker");
        }
        if (options.node() != null && options.serve()) {
            throw new UsageException("--node and --serve exclude each other: --serve runs all nodes. Use one of them");
        }
        if (options.asksForTopology() && options.node() == null) {
            throw new UsageException(
                    "--safebunny.topology needs --node: each node has a topology of its own. Add --node"
                            + " with the name of one");
        }
        if (options.http() != null && options.node() == null && !options.serve() && !options.dashboard()) {
            throw new UsageException(
                    "--http needs --serve, --node or --dashboard: the others end before anybody can look. Add one of them");
        }
        if (options.kill() && (options.node() != null || options.serve())) {
            throw new UsageException(
                    "--kill places orders and runs all nodes itself. Use it without --node and --serve");
        }
        if (options.kill() && options.store().kind() == StoreChoice.Kind.MEMORY) {
            throw new UsageException(
                    "--kill needs a store that outlives a process. Use --store h2, postgres, mysql or cosmos");
        }
        if (options.orchestrated() && options.node() == Node.ORDERS && !keepsSagas(options.store())) {
            throw new UsageException(
                    "--node orders --orchestrated needs a store that outlives the process, which forgets"
                            + " its sagas. Use --store postgres or mysql with --jdbc, or --store cosmos");
        }
        return options;
    }

    /** Somebody wants to see a saga, over HTTP, at a pace that can be followed. */
    private static Options withPage(Options options) {
        if (options.node() != null || options.kill()) {
            throw new UsageException(
                    "--dashboard shows nodes that all run in this process. Use it without --node and --kill; with"
                            + " --node, --http has the page, too, at /actuator/safebunnyui");
        }
        if (!options.serve() && options.orders() > Options.MOST_SHOWN) {
            throw new UsageException("--dashboard places an order every 0.6 s, for ten minutes at most. Use --orders "
                    + Options.MOST_SHOWN + " or fewer");
        }
        Options served = options.http() != null ? options : options.withHttp(0);
        return served.serve() ? served : served.with(Options.Flag.ORCHESTRATED);
    }

    private static boolean keepsSagas(StoreChoice store) {
        return store.isGiven() || store.kind() == StoreChoice.Kind.COSMOS;
    }

    private Options read() {
        Options options = Options.defaults();
        while (!arguments.isEmpty()) {
            String option = arguments.remove();
            options = switch (option) {
                case "--orders" -> options.withOrders((int) number(option, 1, Options.MOST_ORDERS));
                case "--chaos" -> options.withChaos(options.seed());
                case "--seed" -> {
                    seed = number(option, Long.MIN_VALUE, Long.MAX_VALUE);
                    yield options.withSeed(seed);
                }
                case "--rabbit" -> options.withRabbit(RabbitAddress.parse(value(option)));
                case "--store", "--jdbc", "--cosmos-endpoint", "--cosmos-key" -> {
                    readStore(option, value(option));
                    yield options;
                }
                case "--kill" -> options.with(Options.Flag.KILL);
                case "--orchestrated" -> options.with(Options.Flag.ORCHESTRATED);
                case "--dashboard" -> options.with(Options.Flag.DASHBOARD);
                case "--json" -> options.with(Options.Flag.JSON);
                case "--http" -> options.withHttp((int) number(option, 0, HIGHEST_PORT));
                case "--serve" -> options.with(Options.Flag.SERVE);
                case "--node" -> options.withNode(node(value(option)));
                default -> {
                    if (!option.startsWith(SETTING)) {
                        throw new UsageException(
                                "unknown argument " + printable(option) + ". Use --help to see which there are");
                    }
                    yield options.withSetting(option.substring("--".length()), value(option));
                }
            };
        }
        Options chosen = options.withStore(store(options.kill()));
        return seed == null && chosen.dashboard() ? chosen.withSeed(EVENTFUL) : chosen;
    }

    private void readStore(String option, String value) {
        switch (option) {
            case "--store" ->
                store = StoreChoice.Kind.named(value)
                        .orElseThrow(() -> new UsageException("there is no store '" + printable(value)
                                + "'. Use one of " + StoreChoice.Kind.names()));
            case "--jdbc" -> jdbc = value;
            case "--cosmos-endpoint" -> cosmosEndpoint = address(option, value, "https://");
            default -> cosmosKey = value;
        }
    }

    /** Messages do not repeat addresses, which may contain a password. */
    private static String address(String option, String value, String beginning) {
        if (!value.startsWith(beginning)) {
            throw new UsageException(
                    option + " needs an address that begins with " + beginning + ". Check the one given");
        }
        return value;
    }

    private StoreChoice store(boolean kill) {
        StoreChoice.Kind kind = store != null ? store : kill ? StoreChoice.Kind.H2 : StoreChoice.Kind.MEMORY;
        if (jdbc != null && !kind.hasAddress()) {
            throw new UsageException("--jdbc needs --store postgres or mysql. Add --store");
        }
        if (jdbc != null) {
            jdbc = address("--jdbc", jdbc, kind.scheme());
        }
        if ((cosmosEndpoint != null || cosmosKey != null) && kind != StoreChoice.Kind.COSMOS) {
            throw new UsageException("--cosmos-endpoint and --cosmos-key need --store cosmos. Add it");
        }
        if ((cosmosEndpoint == null) != (cosmosKey == null)) {
            throw new UsageException("--cosmos-endpoint and --cosmos-key need each other. Add the missing one");
        }
        return new StoreChoice(kind, jdbc != null ? jdbc : cosmosEndpoint, cosmosKey);
    }

    private String value(String option) {
        String value = arguments.poll();
        if (value == null || value.startsWith("--")) {
            throw new UsageException(option + " needs a value. Add it after the option");
        }
        return value;
    }

    private long number(String option, long min, long max) {
        String value = value(option);
        try {
            long number = Long.parseLong(value);
            if (number >= min && number <= max) {
                return number;
            }
        } catch (NumberFormatException e) {
            throw new UsageException(option + " needs a whole number instead of '" + printable(value) + "'");
        }
        throw new UsageException(option + " must be " + min + " to " + max);
    }

    private static Node node(String name) {
        return Node.named(name)
                .orElseThrow(() ->
                        new UsageException("there is no node '" + printable(name) + "'. Use one of " + Node.names()));
    }

    /** Hides addresses: even an argument in the wrong place may be one, with a password. */
    private static String printable(String argument) {
        return argument.contains("://") ? "(an address)" : argument;
    }
}
