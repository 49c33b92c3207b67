// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.DefaultConsumer;
import com.rabbitmq.client.GetResponse;
import com.rabbitmq.client.ShutdownSignalException;
import io.safebunny.BunnyOperations;
import io.safebunny.BunnyOperations.Result;
import io.safebunny.BunnyOperations.Scope;
import io.safebunny.PoisonMessageException;
import io.safebunny.PublishOptions;
import io.safebunny.failure.ConfigurationException;
import io.safebunny.failure.policy.RecoveryPolicy;
import io.safebunny.failure.policy.RetryStrategy;
import io.safebunny.handler.HandlerDefinition;
import io.safebunny.node.TopologyPlanner;
import io.safebunny.operations.questions.Nodes.ListedInstance;
import io.safebunny.operations.questions.Nodes.ListedNode;
import io.safebunny.operations.questions.Nodes.Listing;
import io.safebunny.poison.PoisonFilter;
import io.safebunny.poison.PoisonMessages;
import io.safebunny.poison.PoisonRequest;
import io.safebunny.poison.PoisonedMessage;
import io.safebunny.rabbit.instance.InstanceOptions;
import io.safebunny.rabbit.instance.Job;
import io.safebunny.rabbit.instance.NodeUnderTest;
import io.safebunny.rabbit.preflight.RabbitTopology;
import io.safebunny.rabbit.topology.DelayStrategy;
import io.safebunny.saga.SagaStatus;
import io.safebunny.test.broker.RabbitNode;
import io.safebunny.topology.Subscription;
import io.safebunny.topology.TopologyOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.amqp.rabbit.connection.CachingConnectionFactory;

/** The commands of docs/permissions.md, as they stand there: two nodes that need not trust each other. */
@Timeout(180)
class PermissionsIT {

    private static final Path DOCS = Path.of("../docs");
    private static final String PASSWORD = "PASSWORD";
    private static final Pattern ARGUMENT = Pattern.compile("'([^']*)'|(\\S+)");
    private static final Duration SOON = Duration.ofSeconds(30);

    private static RabbitNode server;

    private final Set<String> handled = ConcurrentHashMap.newKeySet();
    private final ConcurrentMap<String, Integer> attempts = new ConcurrentHashMap<>();

    @BeforeAll
    static void prepare() throws IOException {
        assumeTrue(RabbitNode.installedRoot().isPresent(), "Needs an installed RabbitMQ server of its own");
        server = RabbitNode.start();
        server.importDefinitions(DOCS.resolve("shared-topology.json"));
        for (String node : List.of("billing", "orders")) {
            try (NodeUnderTest once = as(
                    server.broker().username(),
                    server.broker().password(),
                    node,
                    Set.of(),
                    new ConcurrentHashMap<>())) {
                assertThat(once.status().usable()).isTrue();
            }
            for (String command : commandsOf("billing")) {
                run(command.replace("billing", node));
            }
        }
    }

    @AfterAll
    static void end() {
        if (server != null) {
            server.close();
        }
    }

    private static List<String> commandsOf(String node) throws IOException {
        return Files.readString(DOCS.resolve("permissions.md"))
                .lines()
                .filter(line -> line.startsWith("rabbitmqctl ") && line.contains(" " + node + " "))
                .toList();
    }

    private static void run(String command) {
        List<String> arguments = new ArrayList<>();
        Matcher argument = ARGUMENT.matcher(command.substring("rabbitmqctl ".length()));
        while (argument.find()) {
            arguments.add(argument.group(1) == null ? argument.group(2) : argument.group(1));
        }
        server.control(arguments.toArray(String[]::new));
    }

    /** Handles jobs of both nodes: one that kills always fails, others on their first attempt. */
    private static NodeUnderTest as(
            String user, String password, String node, Set<String> handled, ConcurrentMap<String, Integer> attempts) {
        InstanceOptions options = new InstanceOptions(node, server.broker(), 3, 20, Duration.ZERO, true);
        return NodeUnderTest.startAs(
                user,
                password,
                options,
                bunny -> List.of(new HandlerDefinition(
                        node,
                        "Job",
                        Job.class,
                        List.of("billing", "orders"),
                        3,
                        RecoveryPolicy.of(
                                RetryStrategy.none(), RetryStrategy.of(1, Duration.ofMillis(node.length() * 10L))),
                        (payload, context) -> {
                            Job job = (Job) payload;
                            if (job.kills() || attempts.merge(node + job.id(), 1, Integer::sum) == 1) {
                                throw new IllegalStateException("bad");
                            }
                            handled.add(node + ' ' + job.id());
                        })));
    }

    private NodeUnderTest as(String node) {
        return as(node, PASSWORD, node, handled, attempts);
    }

    private static void onBroker(Onlooker.OnChannel action) {
        new Onlooker(server.broker()).onBroker(action);
    }

    private static long length(String queue) {
        long[] length = {0};
        onBroker(channel -> length[0] = channel.messageCount(queue));
        return length[0];
    }

    @Test
    void aNodeWorksWithTheSmallestPermissionsAcrossARestart() {
        onBroker(channel -> channel.queuePurge("orders-poison"));
        try (NodeUnderTest billing = as("billing");
                NodeUnderTest orders = as("orders")) {
            assertThat(billing.bunny().publish(new Job("first", false)).messageId())
                    .isNotEmpty();
            assertThat(billing.bunny().publish(new Job("bad", true)).messageId())
                    .isNotEmpty();

            await().atMost(SOON).until(() -> handled.containsAll(Set.of("billing first", "orders first")));
            await().atMost(SOON).until(() -> length("orders-poison") == 1);
            replayTo("orders-poison", "orders-Job");
            await().atMost(SOON).until(() -> length("orders-poison") == 1 && length("orders-Job") == 0);
            onBroker(channel ->
                    channel.basicPublish("safebunny.poison", "orders-dead-letters", null, new byte[] {'{', '}'}));
            await().atMost(SOON).until(() -> length("orders-poison") == 2);

            Stream.of("billing-Job", "orders-Job", "orders-poison", "orders-dead-letters", "billing-poison")
                    .forEach(queue -> server.awaitRegistered("/", queue));
            server.restart();
            await().atMost(SOON)
                    .until(() -> billing.status().usable() && orders.status().usable());
            assertThat(billing.bunny().publish(new Job("after", false)).messageId())
                    .isNotEmpty();
            await().atMost(SOON).until(() -> handled.contains("orders after"));
            assertThat(length("safebunny.unrouted")).isZero();
        }
    }

    /** Its administrator has yet to repeat the preparation with the new version. */
    @Test
    void aNodeThatWasPreparedWithoutAnArchiveRunsAndDiscardsOnceThereIsOne() throws Exception {
        String admin = server.broker().username();
        String password = server.broker().password();
        as(admin, password, "older", Set.of(), new ConcurrentHashMap<>()).close();
        for (String command : commandsOf("billing")) {
            run(command.replace("billing", "older").replace("poison-watch", "poison-watch|poison-archive"));
        }
        onBroker(channel -> {
            channel.queueDelete("older-poison-archive");
            channel.queueBind("older-Job", "safebunny", "older-Job");
        });
        try (NodeUnderTest older = as("older")) {
            String bad = older.bunny().publish(new Job("bad", true)).messageId();
            assertThat(older.bunny().publish(new Job("good", false)).messageId())
                    .isNotEmpty();
            await().atMost(SOON).until(() -> handled.contains("older good") && length("older-poison") == 1);
            PoisonMessages poison = older.poisonMessages();
            PoisonRequest all = PoisonRequest.of(PoisonFilter.all(), "test", "a test order");

            assertThat(poison.discard(all).await(SOON).failure())
                    .contains("SB-5014", "queue=older-poison-archive", "--safebunny.topology=apply");
            assertThatThrownBy(() -> poison.archived(PoisonFilter.all()))
                    .hasMessageContainingAll(
                            "SB-5018", "no queue 'older-poison-archive'", "--safebunny.topology=apply");
            assertThat(length("older-poison")).isEqualTo(1);

            as(admin, password, "older", Set.of(), new ConcurrentHashMap<>()).close();
            assertThat(poison.discard(all).await(SOON).moved()).isEqualTo(1);
            assertThat(poison.archived(PoisonFilter.all()).messages())
                    .extracting(PoisonedMessage::messageId)
                    .containsExactly(bad);
            await().atMost(SOON).until(() -> length("older-poison-archive") == 1); // back after the look
            assertThat(poison.restore(all).await(SOON).moved()).isEqualTo(1);
            assertThat(length("older-poison")).isEqualTo(1);
            assertThat(older.status().usable()).isTrue();
        }
    }

    private static void replayTo(String poison, String queue) {
        onBroker(channel -> {
            GetResponse message = channel.basicGet(poison, true);
            channel.basicPublish("safebunny.retry", queue, message.getProps(), message.getBody());
        });
    }

    @Test
    void aNodeThatIsCompromisedIsRefusedWhatIsNotItsOwn() {
        assertForbidden(channel -> channel.exchangeDelete("safebunny"));
        assertForbidden(channel -> channel.exchangeDeclare("safebunny", "topic", true));
        assertForbidden(channel -> channel.exchangeDelete("safebunny.delayed.06"));
        assertForbidden(channel -> channel.queueDelete("safebunny.delayed.06"));
        assertForbidden(channel -> channel.queueDelete("orders-Job"));
        assertForbidden(channel -> channel.queueDelete("billing-Job"));
        assertForbidden(channel -> channel.queuePurge("orders-Job"));
        assertForbidden(channel -> channel.basicGet("orders-poison", true));
        assertForbidden(channel -> channel.basicConsume("orders-dead-letters", new DefaultConsumer(channel)));
        assertForbidden(channel -> channel.basicConsume("safebunny.unrouted", new DefaultConsumer(channel)));
        assertForbidden(channel -> channel.queueUnbind("orders-Job", "safebunny", "orders-Job"));
        assertForbidden(channel -> channel.queueBind("billing-Job", "safebunny", "#"));
        assertForbidden(channel -> channel.queueDeclare("billing-Spy", true, false, false, Map.of()));
        assertForbidden(channel -> channel.queueDeclare("", false, true, true, Map.of()));
        for (String exchange : List.of("safebunny", "safebunny.own", "safebunny.later")) {
            assertForbidden(channel -> channel.basicPublish(exchange, "orders-Job", null, new byte[2]));
            assertForbidden(channel -> channel.basicPublish(exchange, "orders-poison", null, new byte[2]));
        }
        for (String exchange :
                List.of("", "safebunny.retry", "safebunny.due", "safebunny.poison", "safebunny.delayed")) {
            assertForbidden(channel -> channel.basicPublish(exchange, "billing-Job", null, new byte[2]));
        }
    }

    /** Its name is like that of a type, which the expression permits. */
    @Test
    void aNodeReadsWhatItSetAsideButNotItsArchive() {
        assertThat(refusal(channel -> channel.basicGet("billing-poison", false)))
                .isEmpty();
        assertForbidden(channel -> channel.basicGet("billing-poison-archive", false));
    }

    @Test
    void aNodeWithSagasWorksWithTheSmallestPermissions() throws IOException {
        try (NodeUnderTest stock =
                        stock(server.broker().username(), server.broker().password());
                NodeUnderTest sales =
                        sales(server.broker().username(), server.broker().password())) {
            assertThat(stock.status().usable() && sales.status().usable()).isTrue();
        }
        for (String command : commandsOf("billing")) {
            run(command.replace("billing", "stock"));
            run(command.replace("billing", "sales"));
        }
        try (NodeUnderTest stock = stock("stock", PASSWORD);
                NodeUnderTest sales = sales("sales", PASSWORD)) {
            assertThat(stock.status().usable()).isTrue();
            sales.bunny().publish(new Sale.Sell("1"), PublishOptions.none().withCorrelationId("sale-1"));

            await().atMost(SOON).untilAsserted(() -> assertThat(sales.sagas().find("Sale", "sale-1"))
                    .hasValueSatisfying(sale -> assertThat(sale.status()).isEqualTo(SagaStatus.FAILED)));
            assertThat(handled).containsExactlyInAnyOrder("reserve 1", "release 1");

            sales.bunny().publish(new Sale.Sell("bad"), PublishOptions.none().withCorrelationId("sale-2"));
            await().atMost(SOON).untilAsserted(() -> assertThat(sales.sagas().find("Sale", "sale-2"))
                    .hasValueSatisfying(sale -> assertThat(sale.history()).anySatisfy(event -> assertThat(event.what())
                            .startsWith("Reserve ")
                            .endsWith(" was set aside by stock: handler-failed"))));
            await().atMost(SOON).until(() -> length("stock-poison") == 1 && length("sales-poison-watch") == 0);
        }
    }

    private static NodeUnderTest sales(String user, String password) {
        InstanceOptions options = new InstanceOptions("sales", server.broker(), 3, 20, Duration.ZERO, true);
        return NodeUnderTest.startAs(user, password, options, bunny -> List.of(), new Sale());
    }

    private NodeUnderTest stock(String user, String password) {
        InstanceOptions options = new InstanceOptions("stock", server.broker(), 3, 20, Duration.ZERO, true);
        return NodeUnderTest.startAs(
                user,
                password,
                options,
                bunny -> List.of(
                        fromSales(Sale.Reserve.class, payload -> {
                            if (((Sale.Reserve) payload).id().equals("bad")) {
                                throw new PoisonMessageException("there is none");
                            }
                            handled.add("reserve " + ((Sale.Reserve) payload).id());
                        }),
                        fromSales(
                                Sale.Release.class,
                                payload -> handled.add("release " + ((Sale.Release) payload).id()))));
    }

    private static HandlerDefinition fromSales(Class<?> payload, Consumer<Object> action) {
        return new HandlerDefinition(
                "stock",
                payload.getSimpleName(),
                payload,
                List.of("sales"),
                3,
                RecoveryPolicy.of(RetryStrategy.none(), RetryStrategy.none()),
                (body, context) -> action.accept(body));
    }

    private static void prepare(String node, UnaryOperator<String> change) throws IOException {
        as(server.broker().username(), server.broker().password(), node, Set.of(), new ConcurrentHashMap<>())
                .close();
        for (String command : commandsOf("invoices")) {
            run(change.apply(command.replace("invoices", node)));
        }
    }

    @Test
    void nodesAskEachOtherWithThePermissionsForIt() throws IOException {
        prepare("invoices", UnaryOperator.identity());
        prepare("dispatch", UnaryOperator.identity());
        try (NodeUnderTest invoices = as("invoices");
                NodeUnderTest dispatch = as("dispatch")) {
            await().atMost(SOON).untilAsserted(() -> {
                Listing listing = invoices.nodes().list().get(5, TimeUnit.SECONDS);
                assertThat(listing.problem()).isNull();
                assertThat(listing.nodes())
                        .filteredOn(ListedNode::answered)
                        .extracting(ListedNode::node)
                        .contains("dispatch", "invoices");
                assertThat(listing.nodes())
                        .filteredOn(node -> node.node().equals("dispatch"))
                        .flatExtracting(ListedNode::instances)
                        .extracting(ListedInstance::instance)
                        .containsExactly(dispatch.operations().instance());
            });
            assertThat(invoices.status().usable()).isTrue();
        }
        assertThat(refusal(
                        "invoices",
                        channel -> channel.basicPublish("safebunny.control", "dispatch", null, new byte[2])))
                .contains("ACCESS_REFUSED");
        for (String key : List.of("dispatch", "#", "_all.*")) {
            assertThat(refusal("invoices", channel -> {
                        channel.queueDeclare("invoices-control-spy", false, true, true, Map.of());
                        channel.queueBind("invoices-control-spy", "safebunny.control", key);
                    }))
                    .contains("ACCESS_REFUSED");
        }
    }

    /** As those that were prepared before nodes asked each other. */
    @Test
    void whoMayTellItsOwnNodeOnlySaysSoWhenAskedAndStillReachesThatNode() throws IOException {
        prepare("hinted", command -> command.replace("|_all(\\.[a-z0-9]+)?", ""));
        try (NodeUnderTest hinted = as("hinted");
                NodeUnderTest other = as("hinted")) {
            await().atMost(SOON).untilAsserted(() -> assertThat(
                            hinted.nodes().list().get(5, TimeUnit.SECONDS).problem())
                    .startsWith("could not ask: ")
                    .contains("ACCESS_REFUSED"));

            await().atMost(SOON).untilAsserted(() -> {
                Result result = hinted.operations()
                        .pause("Job", Duration.ofSeconds(1), Scope.NODE, "to see who is reached", "test");
                assertThat(result.instances())
                        .extracting(BunnyOperations.Instance::id)
                        .containsExactlyInAnyOrder(
                                hinted.operations().instance(),
                                other.operations().instance());
                assertThat(result.note()).doesNotContain("cannot be reached");
            });
        }
    }

    /** A node runs without it, so an administrator's command does not fail for its lack. */
    @Test
    void applyGoesOnWithoutTheExchangeBetweenInstancesIfItMayNotDeclareIt() throws IOException {
        for (String command : commandsOf("shipping")) {
            run(command.replace("shipping", "drone"));
        }
        ConnectionFactory client = new Onlooker(server.broker()).client();
        client.setUsername("drone");
        client.setPassword(PASSWORD);
        CachingConnectionFactory drone = new CachingConnectionFactory(client);
        onBroker(channel -> channel.exchangeDelete("safebunny.control"));
        try {
            new RabbitTopology(
                            TopologyPlanner.plan(
                                    "drone",
                                    List.of(new Subscription("Job", List.of("orders"))),
                                    TopologyOptions.defaults()),
                            DelayStrategy.LADDER)
                    .apply(drone);
        } finally {
            drone.destroy();
            onBroker(channel -> channel.exchangeDeclare("safebunny.control", "topic", true));
        }
        assertThat(length("drone-Job")).isZero();
    }

    /** With the same commands as a node that has none. */
    @Test
    void aNodeSendsToItsShardsAndReadsThemAndNobodyElses() throws IOException {
        shards("divided")
                .apply(onServer(server.broker().username(), server.broker().password()));
        shards("neighbour")
                .apply(onServer(server.broker().username(), server.broker().password()));
        for (String command : commandsOf("billing")) {
            run(command.replace("billing", "divided"));
        }

        for (String queue : List.of("divided-Job.0", "divided-Job.15")) {
            assertThat(refusal(
                            "divided",
                            channel -> channel.basicPublish("safebunny.own", queue, null, new byte[] {'{', '}'})))
                    .isEmpty();
            await().atMost(SOON).until(() -> length(queue) == 1);
            assertThat(refusalToConsume(queue)).isEmpty();
            String other = queue.replace("divided", "neighbour");
            assertThat(refusalToConsume(other)).contains("ACCESS_REFUSED");
            for (String exchange : List.of("safebunny", "safebunny.own", "safebunny.later")) {
                assertThat(refusal("divided", channel -> channel.basicPublish(exchange, other, null, new byte[2])))
                        .contains("ACCESS_REFUSED");
            }
        }
        assertThat(refusalToConsume("divided-Job.in")).isEmpty();
    }

    private static String refusalToConsume(String queue) {
        return refusal("divided", channel -> channel.basicConsume(queue, new DefaultConsumer(channel)));
    }

    @Test
    void aNodeThatDeclaresItsQueuesDeclaresItsShards() throws IOException {
        for (String command : commandsOf("shipping")) {
            run(command.replace("shipping", "carrier"));
        }

        shards("carrier").apply(onServer("carrier", PASSWORD));

        assertThat(length("carrier-Job.15")).isZero();
    }

    private static RabbitTopology shards(String node) {
        return new RabbitTopology(
                TopologyPlanner.plan(
                        node,
                        List.of(new Subscription("Job", List.of("orders"), true, 16)),
                        TopologyOptions.defaults()),
                DelayStrategy.LADDER);
    }

    private static CachingConnectionFactory onServer(String user, String password) {
        ConnectionFactory client = new Onlooker(server.broker()).client();
        client.setUsername(user);
        client.setPassword(password);
        return new CachingConnectionFactory(client);
    }

    /** If 3.10 begins to refuse it, or 4.3 to let it pass, the page has to say so. */
    @Test
    void carbonCopiesGetPastTheRoutingKeyOnOldBrokersOnly() {
        BasicProperties copies = new BasicProperties.Builder()
                .headers(Map.of("BCC", List.of("orders-poison")))
                .build();
        long before = length("orders-poison");
        Onlooker.OnChannel attack =
                channel -> channel.basicPublish("safebunny.own", "billing-poison", copies, new byte[] {'x'});

        if (server.broker().version().startsWith("3.")) {
            assertThat(refusal(attack)).isEmpty();
            await().atMost(SOON).until(() -> length("orders-poison") == before + 1);
        } else {
            assertForbidden(attack);
        }
    }

    /** Why no permission to configure is the smallest: with it on one queue, dead-lettering gets past the routing key. */
    @Test
    void whoMayConfigureItsQueuesDeclaresThemAndGetsPastTheRoutingKeyByTheirDeadLetters() throws IOException {
        for (String command : commandsOf("shipping")) {
            run(command);
        }
        try (NodeUnderTest shipping = as("shipping");
                NodeUnderTest billing = as("billing")) {
            assertThat(billing.bunny().publish(new Job("for shipping", false)).messageId())
                    .isNotEmpty();
            await().atMost(SOON).until(() -> handled.contains("shipping for shipping"));
            assertThat(shipping.status().usable()).isTrue();
        }
        long before = length("orders-poison");

        assertThat(refusal("shipping", channel -> {
                    channel.queueDeclare(
                            "shipping-Trap",
                            true,
                            false,
                            false,
                            Map.of(
                                    "x-dead-letter-exchange", "safebunny.own",
                                    "x-dead-letter-routing-key", "orders-poison"));
                    channel.queueBind("shipping-Trap", "safebunny.own", "shipping-Trap");
                    channel.basicPublish(
                            "safebunny.own",
                            "shipping-Trap",
                            new BasicProperties.Builder().expiration("0").build(),
                            new byte[] {'x'});
                }))
                .isEmpty();
        await().atMost(SOON).until(() -> length("orders-poison") == before + 1);
    }

    @Test
    void aMissingPermissionIsToldAtTheStartWithTheCommandThatGrantsIt() {
        run("rabbitmqctl add_user half PASSWORD");
        run("rabbitmqctl set_permissions -p / half '^$' '^safebunny$' '^billing-'");
        assertToldAndMended("half", "billing", "write", "exchange 'safebunny.own'");

        run("rabbitmqctl set_permissions -p / half '^$' '^safebunny(\\.own|\\.later)?$' '^billing-dead-letters$'");
        assertToldAndMended("half", "billing", "read", "queue 'billing-Job'");

        run("rabbitmqctl set_permissions -p / half '^$' '^safebunny(\\.own|\\.later)?$' '^new\\.one-'");
        assertToldAndMended("half", "new.one", "configure", "queue 'new.one-Job'");
    }

    private void assertToldAndMended(String user, String node, String permission, String resource) {
        String[] message = {""};
        assertThatThrownBy(() -> as(user, PASSWORD, node, handled, attempts).close())
                .isInstanceOfSatisfying(ConfigurationException.class, e -> {
                    assertThat(e.code()).isEqualTo("SB-1204");
                    message[0] = e.getMessage();
                })
                .hasMessageContaining("user '" + user + "' lacks the " + permission + " permission on " + resource);
        Matcher command =
                Pattern.compile("rabbitmqctl set_permissions( '?[^ ']+'?){6}").matcher(message[0]);
        assertThat(command.find()).as(message[0]).isTrue();
        run(command.group());
        try (NodeUnderTest mended = as(user, PASSWORD, node, handled, attempts)) {
            await().atMost(SOON).until(() -> mended.status().usable());
        }
    }

    private static void assertForbidden(Onlooker.OnChannel attack) {
        assertThat(refusal(attack)).contains("ACCESS_REFUSED");
    }

    private static String refusal(Onlooker.OnChannel attack) {
        return refusal("billing", attack);
    }

    /** Of the broker, to what a plain client does as this user; empty when it was done. */
    private static String refusal(String user, Onlooker.OnChannel attack) {
        ConnectionFactory client = new Onlooker(server.broker()).client();
        client.setUsername(user);
        client.setPassword(PASSWORD);
        try (Connection connection = client.newConnection("attack")) {
            Channel channel = connection.createChannel();
            channel.confirmSelect();
            try {
                attack.run(channel);
                channel.waitForConfirms(SOON.toMillis());
                return "";
            } catch (IOException | ShutdownSignalException | InterruptedException e) {
                return String.valueOf(e.getCause() == null ? e : e.getCause());
            }
        } catch (IOException | TimeoutException e) {
            throw new IllegalStateException("The test broker does not answer", e);
        }
    }
}
