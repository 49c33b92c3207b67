// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure.rabbit;

import io.safebunny.autoconfigure.lifecycle.EngineLifecycle;
import io.safebunny.failure.ConfigurationException;
import io.safebunny.failure.InvalidProperty;
import io.safebunny.rabbit.preflight.Preflight;
import io.safebunny.rabbit.preflight.RabbitTopology;
import io.safebunny.rabbit.preflight.TopologyDifference;
import io.safebunny.rabbit.preflight.TopologyReport;
import io.safebunny.rabbit.topology.DelayStrategy;
import io.safebunny.topology.Topology;
import io.safebunny.topology.TopologyExport;
import java.io.PrintStream;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.amqp.AmqpException;
import org.springframework.amqp.rabbit.connection.ConnectionFactory;
import org.springframework.core.env.Environment;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

/** Runs instead of the consumers when an application is started with {@code --safebunny.topology=…}. */
public final class TopologyCommand {

    /** The command's property; also the prefix of the topology's settings. */
    static final String PROPERTY = "safebunny.topology";

    static final int AS_PLANNED = 0;
    static final int FAILED = 1;
    static final int DIFFERENT = 2;

    private static final JsonMapper JSON =
            JsonMapper.builder().enable(SerializationFeature.INDENT_OUTPUT).build();

    /**
     * Whether the process runs a topology command and then ends. Invalid commands count, so that they are refused; {@code false} and an
     * empty value do not, because that is how Spring reads an empty {@code safebunny.topology} section.
     */
    public static boolean isAsked(Environment environment) {
        String asked = environment.getProperty(PROPERTY, "").strip();
        return !asked.isEmpty() && !asked.equalsIgnoreCase("false");
    }

    enum Action {
        PLAN,
        APPLY,
        PRUNE,
        PRUNE_APPLY,
        EXPORT_DEFINITIONS,
        EXPORT_MERMAID,
        EXPORT_ASYNCAPI;

        String text() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }

        /** @throws ConfigurationException SB-1301 */
        static Action of(String text) {
            return Arrays.stream(values())
                    .filter(action -> action.text().equals(text))
                    .findAny()
                    .orElseThrow(() -> InvalidProperty.of(
                            PROPERTY,
                            text,
                            "there is no such command",
                            "Use one of %s; settings of the topology are below it, such as safebunny.topology.prefix."
                                    .formatted(Arrays.stream(values())
                                            .map(Action::text)
                                            .collect(Collectors.joining(", ")))));
        }
    }

    private static final String CHECK =
            "%nCheck spring.rabbitmq.addresses, which win, or else spring.rabbitmq.host, port, username, password and spring.rabbitmq.virtual-host"
                    .formatted();

    private final Action action;
    private final EngineLifecycle node;
    private final @Nullable Rabbit rabbit;
    private final String version;

    /**
     * The node's side of RabbitMQ.
     *
     * @param delays how the node delays messages
     * @param broker as the node would connect to it
     * @param preflight reads what AMQP does not expose
     */
    record Rabbit(DelayStrategy delays, ConnectionFactory broker, Preflight preflight) {}

    /**
     * @param node the node whose topology is meant; not started
     * @param rabbit {@code null} with another transport
     * @param version of the application
     */
    TopologyCommand(Action action, EngineLifecycle node, @Nullable Rabbit rabbit, String version) {
        this.action = action;
        this.node = node;
        this.rabbit = rabbit;
        this.version = version;
    }

    /** @return the exit status of the process: 0, 1 for a failure, 2 when the broker differs from the plan, or something is left over */
    int run(PrintStream out, PrintStream err) {
        try {
            Topology topology = node.plan();
            return switch (action) {
                case EXPORT_MERMAID -> print(out, TopologyExport.mermaid(topology));
                case EXPORT_ASYNCAPI -> print(out, JSON.writeValueAsString(TopologyExport.asyncApi(topology, version)));
                default -> onRabbit(topology, out);
            };
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            err.println("Interrupted before the end of " + PROPERTY + "=" + action.text());
            return FAILED;
        } catch (ConfigurationException | AmqpException e) {
            err.println(e instanceof AmqpException ? "The broker cannot be reached: " + e + CHECK : e.getMessage());
            return FAILED;
        }
    }

    private int onRabbit(Topology topology, PrintStream out) throws InterruptedException {
        if (rabbit == null) {
            throw InvalidProperty.of(
                    PROPERTY,
                    action.text(),
                    "the node is not on RabbitMQ",
                    "Set safebunny.transport=rabbit, or use export-mermaid or export-asyncapi.");
        }
        ConnectionFactory broker = rabbit.broker();
        RabbitTopology planned = new RabbitTopology(topology, rabbit.delays());
        return switch (action) {
            case PLAN -> {
                TopologyDifference difference = planned.compare(broker);
                print(out, difference.describe());
                TopologyReport report = rabbit.preflight().compare(topology, node.handlers(), true);
                boolean isMissingTold = difference.untold().isEmpty();
                List<String> findings = isMissingTold ? report.findingsBeyondAmqp() : report.findings();
                findings.forEach(finding -> out.println("! " + finding));
                report.remarks().forEach(remark -> out.println("~ " + remark));
                yield difference.isNone() && findings.isEmpty() ? AS_PLANNED : DIFFERENT;
            }
            case APPLY -> {
                String before = planned.compare(broker).describe();
                planned.apply(broker);
                print(out, before);
                yield print(out, "Declared what was missing, bindings included; nothing was deleted");
            }
            case PRUNE -> rabbit.preflight().pruning(topology).list(out::println) ? AS_PLANNED : DIFFERENT;
            case PRUNE_APPLY ->
                rabbit.preflight().pruning(topology).apply(broker, out::println) ? AS_PLANNED : DIFFERENT;
            default -> {
                Map<String, Object> definitions = planned.definitions(broker.getVirtualHost());
                yield print(out, JSON.writeValueAsString(definitions));
            }
        };
    }

    private static int print(PrintStream out, String text) {
        out.println(text);
        return AS_PLANNED;
    }
}
