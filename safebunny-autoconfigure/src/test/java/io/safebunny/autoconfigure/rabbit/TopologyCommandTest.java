// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure.rabbit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.safebunny.BunnyHandler;
import io.safebunny.autoconfigure.Nodes;
import io.safebunny.autoconfigure.OrderPlaced;
import io.safebunny.autoconfigure.lifecycle.EngineLifecycle;
import io.safebunny.autoconfigure.rabbit.TopologyCommandAutoConfiguration.ExitHook;
import io.safebunny.failure.ConfigurationException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.ApplicationRunner;
import org.springframework.boot.DefaultApplicationArguments;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.amqp.autoconfigure.RabbitAutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.mock.env.MockEnvironment;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Without a broker. */
@ExtendWith(OutputCaptureExtension.class)
class TopologyCommandTest {

    private final AtomicInteger status = new AtomicInteger(-1);

    private ApplicationContextRunner shop(String action) {
        return Nodes.memory()
                .withPropertyValues("safebunny.topology=" + action)
                .withBean(ExitHook.class, () -> status::set)
                .withBean(Handler.class);
    }

    /** @return what it prints */
    private String answer(String action, CapturedOutput output) {
        StringBuilder printed = new StringBuilder();
        shop(action).run(context -> {
            assertThat(context.getBean(EngineLifecycle.class).isRunning())
                    .as("the node")
                    .isFalse();
            int before = output.getAll().length();
            context.getBean(ApplicationRunner.class).run(new DefaultApplicationArguments());
            printed.append(output.getAll().substring(before));
            assertThat(context.getSourceApplicationContext().isActive()).isFalse();
        });
        return printed.toString();
    }

    @Test
    void printsTheFlowchartAndEnds(CapturedOutput output) {
        assertThat(answer("export-mermaid", output).lines())
                .startsWith("flowchart LR")
                .anyMatch(line -> line.contains("([desk]) -->|OrderPlaced|") && line.endsWith("[[shop-OrderPlaced]]"))
                .anyMatch(line -> line.endsWith("[[shop-poison]]"));
        assertThat(status).hasValue(0);
    }

    @Test
    void printsAnAsyncApiDocumentOfWhatTheNodeReceives(CapturedOutput output) {
        JsonNode document = JsonMapper.shared().readTree(answer("export-asyncapi", output));

        assertThat(document.path("asyncapi").asString("")).isEqualTo("3.0.0");
        assertThat(document.at("/channels/OrderPlaced/address").asString("")).isEqualTo("shop-OrderPlaced");
        assertThat(document.at("/operations/receiveOrderPlaced/channel/$ref").asString(""))
                .isEqualTo("#/channels/OrderPlaced");
        assertThat(status).hasValue(0);
    }

    @Test
    void whatIsOnlyOnRabbitFailsElsewhereWithAnExplanation(CapturedOutput output) {
        assertThat(answer("plan", output))
                .contains("SB-1301", "[safebunny.topology=plan]", "safebunny.transport=rabbit");
        assertThat(status).hasValue(1);
    }

    @Test
    void aBrokerThatCannotBeReachedIsAFailureThatSaysWhatToCheck(CapturedOutput output) {
        Nodes.bare()
                .withConfiguration(AutoConfigurations.of(RabbitAutoConfiguration.class))
                .withPropertyValues("safebunny.node=shop", "safebunny.topology=plan", "spring.rabbitmq.port=1")
                .withBean(ExitHook.class, () -> status::set)
                .withBean(Handler.class)
                .run(context -> context.getBean(ApplicationRunner.class).run(new DefaultApplicationArguments()));

        assertThat(output.getErr())
                .contains("Connection refused", "spring.rabbitmq.addresses", "spring.rabbitmq.virtual-host");
        assertThat(status).hasValue(1);
    }

    @Test
    void whatIsLeftOverCannotBeSeenWithoutTheManagementApi(CapturedOutput output) {
        Nodes.bare()
                .withConfiguration(AutoConfigurations.of(RabbitAutoConfiguration.class))
                .withPropertyValues("safebunny.node=shop", "safebunny.topology=prune", "spring.rabbitmq.port=1")
                .withBean(ExitHook.class, () -> status::set)
                .withBean(Handler.class)
                .run(context -> context.getBean(ApplicationRunner.class).run(new DefaultApplicationArguments()));

        assertThat(output.getErr()).contains("SB-1301", "AMQP lists neither queues nor bindings", "management-uri");
        assertThat(status).hasValue(1);
    }

    @Test
    void anUnknownActionIsAnErrorThatNamesTheOthers() {
        shop("drop").run(context -> assertThat(context)
                .getFailure()
                .rootCause()
                .hasMessageContaining("[safebunny.topology=drop]")
                .hasMessageContaining(
                        "plan, apply, prune, prune-apply, export-definitions, export-mermaid, export-asyncapi"));
    }

    @Test
    void settingsBelowItAndNothingElseStartTheNode() {
        Nodes.memory().withPropertyValues("safebunny.topology.prefix=acme").run(context -> {
            assertThat(context).doesNotHaveBean(TopologyCommand.class);
            assertThat(context.getBean(EngineLifecycle.class).isRunning()).isTrue();
        });
    }

    /** An empty section of the settings, and what an environment variable says for "no". */
    @ParameterizedTest
    @ValueSource(strings = {"false", "FALSE", "", " "})
    void nothingAndFalseAskForNothing(String nothing) {
        MockEnvironment environment = new MockEnvironment().withProperty("safebunny.topology", nothing);

        new TopologyCommandEnvironment().postProcessEnvironment(environment, new SpringApplication());

        assertThat(environment.getProperty("spring.main.web-application-type")).isNull();
        assertThat(environment.getProperty("logging.threshold.console")).isNull();
        shop(nothing).run(context -> {
            assertThat(context).doesNotHaveBean(TopologyCommand.class);
            assertThat(context.getBean(EngineLifecycle.class).isRunning()).isTrue();
        });
    }

    /** Whatever it is: an application must not run when it was asked for something else. */
    @ParameterizedTest
    @ValueSource(strings = {"true", "off", "Plan"})
    void whateverElseIsAskedForIsRefusedAndNothingIsConsumed(String other) {
        MockEnvironment environment = new MockEnvironment().withProperty("safebunny.topology", other);

        new TopologyCommandEnvironment().postProcessEnvironment(environment, new SpringApplication());

        assertThat(environment.getProperty("spring.main.web-application-type")).isEqualTo("none");
        shop(other).run(context -> assertThat(context).getFailure().rootCause().hasMessageContaining("SB-1301"));
    }

    @Test
    void opensNoPortConsumesNothingAndIsQuiet() {
        MockEnvironment asked = new MockEnvironment().withProperty("safebunny.topology", "plan");
        MockEnvironment running = new MockEnvironment().withProperty("safebunny.topology.prefix", "acme");
        TopologyCommandEnvironment processor = new TopologyCommandEnvironment();

        processor.postProcessEnvironment(asked, new SpringApplication());
        processor.postProcessEnvironment(running, new SpringApplication());

        assertThat(asked.getProperty("spring.main.web-application-type")).isEqualTo("none");
        assertThat(asked.getProperty("spring.rabbitmq.listener.simple.auto-startup"))
                .isEqualTo("false");
        assertThat(asked.getProperty("logging.threshold.console")).isEqualTo("error");
        assertThat(running.getProperty("spring.main.web-application-type")).isNull();
    }

    /** It would run, and handle what others send, although it was started only to be looked at. */
    @Test
    void anApplicationThatIsSwitchedOffIsNotStarted(CapturedOutput output) {
        SpringApplication application = new SpringApplication(Handler.class);

        assertThatThrownBy(() -> application.run("--safebunny.topology=plan", "--safebunny.enabled=false"))
                .isInstanceOf(ConfigurationException.class);

        assertThat(output)
                .contains(
                        "APPLICATION FAILED TO START",
                        "SB-1301",
                        "[safebunny.topology=plan]",
                        "--safebunny.enabled=true");
    }

    static class Handler {

        @BunnyHandler(from = "desk")
        void on(OrderPlaced order) {}
    }
}
