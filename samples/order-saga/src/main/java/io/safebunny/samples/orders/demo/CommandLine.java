// SPDX-License-Identifier: Apache-2.0
package io.safebunny.samples.orders.demo;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;

/** Reads the arguments. Values may follow their option after a space or an equals sign. */
final class CommandLine {

    static final String USAGE = """
        usage: bin/demo [--orders N] [--chaos] [--seed S] [--rabbit amqp://…] [--json] [--serve]

          --orders N       place N orders, 1 to 1000000 (default 1000)
          --chaos          messages arrive twice, handlers throw, the bank times out, customers click twice
          --seed S         which orders there are and where chaos strikes: any whole number (default 1)
          --rabbit URI     use the RabbitMQ at amqp://USER:PASSWORD@HOST:PORT/VIRTUAL-HOST instead of the
                           broker inside this process
          --json           print one JSON object instead of the table; it is the last line of standard output
          --serve          place no orders: take PlaceOrder messages from any AMQP client until interrupted
                           (needs --rabbit)
          --node NAME      run only this node in this process: storefront, orders, billing, shipping or
                           notifications (needs --rabbit; see samples/order-saga/README.md)
          --help           show this

        Exit status: 0 no order is lost and nothing happened twice, 1 otherwise, 2 these arguments make no sense.\
        """;

    private final Deque<String> arguments = new ArrayDeque<>();

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

    static boolean asksForHelp(String... arguments) {
        return Arrays.asList(arguments).contains("--help")
                || Arrays.asList(arguments).contains("-h");
    }

    /** @throws UsageException for what makes no sense */
    static Options parse(String... arguments) {
        Options options = new CommandLine(List.of(arguments)).read();
        if (options.serve() && options.rabbit() == null) {
            throw new UsageException("--serve needs --rabbit: other processes cannot reach the broker inside this one");
        }
        if (options.node() != null && options.rabbit() == null) {
            throw new UsageException("--node needs --rabbit: a node alone has nobody to talk to inside this process");
        }
        if (options.node() != null && options.serve()) {
            throw new UsageException("--node and --serve exclude each other: --serve runs all nodes");
        }
        return options;
    }

    private Options read() {
        Options options = Options.defaults();
        while (!arguments.isEmpty()) {
            String option = arguments.remove();
            options = switch (option) {
                case "--orders" -> options.withOrders((int) number(option, 1, Options.MOST_ORDERS));
                case "--chaos" -> options.withChaos(options.seed());
                case "--seed" -> options.withSeed(number(option, Long.MIN_VALUE, Long.MAX_VALUE));
                case "--rabbit" -> options.withRabbit(RabbitAddress.parse(value(option)));
                case "--json" -> options.withJson();
                case "--serve" -> options.withServe();
                case "--node" -> options.withNode(node(value(option)));
                default -> throw new UsageException("unknown argument " + printable(option));
            };
        }
        return options;
    }

    private String value(String option) {
        String value = arguments.poll();
        if (value == null || value.startsWith("--")) {
            throw new UsageException(option + " needs a value");
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
            throw new UsageException(option + " needs a whole number, not '" + printable(value) + "'");
        }
        throw new UsageException(option + " must be " + min + " to " + max);
    }

    private static Node node(String name) {
        return Node.named(name)
                .orElseThrow(
                        () -> new UsageException("there is no node '" + printable(name) + "', only " + Node.names()));
    }

    /** An argument in the wrong place may be an address with a password. */
    private static String printable(String argument) {
        return argument.contains("://") ? "(an address)" : argument;
    }
}
