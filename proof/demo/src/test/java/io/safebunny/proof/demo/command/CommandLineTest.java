// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.demo.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.safebunny.proof.demo.Setup;
import io.safebunny.proof.demo.accounts.Storage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CommandLineTest {

    @Test
    void defaultsAreAThousandOrdersInThisProcess() {
        Options options = CommandLine.parse();

        assertThat(options.orders()).isEqualTo(1_000);
        assertThat(options.rabbit()).isNull();
        assertThat(options.chaos()).isFalse();
        assertThat(options.deduplicate()).isTrue();
    }

    @Test
    void seedCountsWhereverItStands() {
        assertThat(CommandLine.parse("--seed", "-7", "--chaos").seed()).isEqualTo(-7);
        assertThat(CommandLine.parse("--chaos", "--seed=8"))
                .isEqualTo(Options.defaults().withChaos(8));
    }

    @Test
    void aPageNeedsHttpAndWithoutOrdersOfOthersASaga() {
        Options shown = CommandLine.parse("--chaos", "--dashboard");
        assertThat(shown.http()).isZero();
        assertThat(shown.orchestrated()).isTrue();
        assertThat(shown.watched()).isEqualTo(Node.ORDERS);
        assertThat(shown.seed()).isEqualTo(4);
        assertThat(CommandLine.parse("--seed", "1", "--dashboard").seed()).isEqualTo(1);

        Options served = CommandLine.parse(
                "--serve", "--dashboard", "--http=8080", "--orders=2000", "--rabbit", "amqp://localhost");
        assertThat(served.http()).isEqualTo(8080);
        assertThat(served.orchestrated()).isFalse();
        assertThat(served.watched()).isEqualTo(Node.BILLING);
    }

    @ParameterizedTest
    @CsvSource(
            quoteCharacter = '"',
            value = {
                "--orders,--orders needs a value",
                "--orders 0,--orders must be 1 to 1000000",
                "--orders -1,--orders must be 1 to 1000000",
                "--orders 1000001,--orders must be 1 to 1000000",
                "--orders many,--orders needs a whole number",
                "--orders=,--orders needs a whole number",
                "--seed x,--seed needs a whole number",
                "--seed --chaos,--seed needs a value",
                "--fast,unknown argument --fast",
                "--safebunny,unknown argument --safebunny",
                "--safebunny.topology --node billing,--safebunny.topology needs a value",
                "--safebunny.topology=plan,--safebunny.topology needs --node",
                "--safebunny.topology=plan --node billing,--node needs --rabbit",
                "10,unknown argument 10",
                "--serve,--serve needs --rabbit",
                "--node billing,--node needs --rabbit",
                "--http 8080,--http needs --serve, --node or --dashboard",
                "--dashboard --kill --store h2,--dashboard shows nodes that all run in this process",
                "--dashboard --node billing --rabbit amqp://localhost,with --node, --http has the page, too",
                "--dashboard --chaos --orders 1001,Use --orders 1000 or fewer",
                "--http 65532 --serve --rabbit amqp://localhost,--http must be 0 to 65531",
                "--node kitchen --rabbit amqp://localhost,there is no node 'kitchen'",
                "--node billing --serve --rabbit amqp://localhost,exclude each other",
                "--store disk,there is no store 'disk'",
                "--store,--store needs a value",
                "--jdbc jdbc:postgresql:saga,--jdbc needs --store postgres or mysql",
                "--store postgres --jdbc jdbc:mysql:saga,--jdbc needs an address that begins with jdbc:postgresql:",
                "--jdbc jdbc:postgresql:saga --store mysql,--jdbc needs an address that begins with jdbc:mysql:",
                "--store cosmos --cosmos-endpoint https://localhost,need each other",
                "--store cosmos --cosmos-endpoint http://localhost,--cosmos-endpoint needs an address that begins with",
                "--cosmos-key a2V5,need --store cosmos",
                "--kill --store memory,--kill needs a store that outlives a process",
                "--kill --serve --rabbit amqp://localhost,--kill places orders and runs all nodes",
                "--orchestrated --kill --store memory,--kill needs a store that outlives a process",
                "--orchestrated --node orders --rabbit amqp://localhost,needs a store that outlives the process",
                "--orchestrated --node orders --rabbit amqp://localhost --store h2,--store postgres or mysql with --jdbc",
                "--orchestrated --node orders --rabbit amqp://localhost --store postgres,which forgets its sagas",
                "--kill --node orders --rabbit amqp://localhost,--kill places orders and runs all nodes"
            })
    void refusesWhatMakesNoSense(String arguments, String problem) {
        assertThatThrownBy(() -> CommandLine.parse(arguments.split(" ")))
                .isInstanceOf(UsageException.class)
                .hasMessageContaining(problem);
    }

    @Test
    void settingsOfSafeBunnyReachTheNodesAndWinOverTheDemos() {
        Options options = CommandLine.parse("--safebunny.transport=rabbit", "--safebunny.listener.prefetch", "7");

        try (Storage storage = Storage.open(options)) {
            assertThat(Setup.of(options, storage).properties())
                    .containsEntry("safebunny.transport", "rabbit")
                    .containsEntry("safebunny.listener.prefetch", "7");
        }
    }

    @Test
    void theOrchestratorGoesWithAllOtherOptions() {
        assertThat(CommandLine.parse().orchestrated()).isFalse();
        assertThat(CommandLine.parse(
                        "--orchestrated", "--chaos", "--seed", "3", "--json", "--store", "postgres", "--orders", "7"))
                .isEqualTo(Options.defaults()
                        .with(Options.Flag.ORCHESTRATED)
                        .withOrders(7)
                        .withChaos(3)
                        .with(Options.Flag.JSON)
                        .withStore(StoreChoice.of(StoreChoice.Kind.POSTGRES)));
        assertThat(CommandLine.parse("--kill", "--orchestrated").store())
                .isEqualTo(StoreChoice.of(StoreChoice.Kind.H2));
        String[] alone = "--orchestrated --rabbit amqp://localhost --serve --http 0".split(" ");
        assertThat(CommandLine.parse(alone).orchestrated()).isTrue();
        assertThat(CommandLine.parse("--orchestrated", "--node=billing", "--rabbit=amqp://localhost")
                        .node())
                .isEqualTo(Node.BILLING);
        assertThat(CommandLine.parse("--orchestrated", "--node=orders", "--rabbit=amqp://localhost", "--store=cosmos")
                        .node())
                .isEqualTo(Node.ORDERS);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "http://me:secret@host",
                "amqp://me:secret@host:99999x",
                "amqp://me:secret@host:99999",
                "me:secret@host",
                "amqp:",
                "amqp://",
                "://secret",
                "amqp://a:%zz@h"
            })
    void refusesAnAddressWithoutRepeatingIt(String uri) {
        assertThatThrownBy(() -> CommandLine.parse("--rabbit", uri))
                .isInstanceOf(UsageException.class)
                .hasNoCause()
                .hasMessageContaining("amqp://USER:PASSWORD@HOST")
                .hasMessageNotContaining("secret");
        assertThatThrownBy(() -> CommandLine.parse("amqp://me:secret@host"))
                .isInstanceOf(UsageException.class)
                .hasMessageNotContaining("secret");
    }

    @Test
    void killTakesADurableStore() {
        assertThat(CommandLine.parse("--kill").store()).isEqualTo(StoreChoice.of(StoreChoice.Kind.H2));
        assertThat(CommandLine.parse("--store", "postgres", "--kill").store())
                .isEqualTo(StoreChoice.of(StoreChoice.Kind.POSTGRES));
        assertThat(CommandLine.parse().store()).isEqualTo(StoreChoice.of(StoreChoice.Kind.MEMORY));
    }

    @Test
    void storeIsPrintedWithoutWhatOpensIt() {
        String jdbc = "jdbc:postgresql://host/saga?user=me&password=secret";
        StoreChoice postgres =
                CommandLine.parse("--store=postgres", "--jdbc", jdbc).store();
        StoreChoice cosmos = CommandLine.parse(
                        "--store=cosmos", "--cosmos-endpoint=https://host:443/", "--cosmos-key=c2VjcmV0")
                .store();

        assertThat(postgres.address()).isEqualTo(jdbc);
        assertThat(postgres).hasToString("postgres");
        assertThat(cosmos.address()).isEqualTo("https://host:443/");
        assertThat(cosmos.key()).isEqualTo("c2VjcmV0");
        assertThat(cosmos).hasToString("cosmos");
    }

    @Test
    void takesAnAddressApart() {
        RabbitAddress address = RabbitAddress.parse("amqp://a%40b:s%2Fecret@rabbit.local:5673/my%20host");

        assertThat(address.properties())
                .containsEntry("spring.rabbitmq.addresses", "rabbit.local:5673")
                .containsEntry("spring.rabbitmq.username", "a@b")
                .containsEntry("spring.rabbitmq.password", "s/ecret")
                .containsEntry("spring.rabbitmq.virtual-host", "my host")
                .containsEntry("spring.rabbitmq.ssl.enabled", "false");
        assertThat(address).hasToString("rabbit.local:5673 my host");
        assertThat(RabbitAddress.parse("amqp://my_broker/").properties())
                .containsEntry("spring.rabbitmq.addresses", "my_broker:5672")
                .containsEntry("spring.rabbitmq.username", "guest")
                .containsEntry("spring.rabbitmq.virtual-host", "/");
        assertThat(RabbitAddress.parse("amqps://rabbit.local").properties())
                .containsEntry("spring.rabbitmq.addresses", "rabbit.local:5671")
                .containsEntry("spring.rabbitmq.ssl.enabled", "true");
    }
}
