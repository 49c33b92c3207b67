// SPDX-License-Identifier: Apache-2.0
package io.safebunny.samples.orders.aot;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.saga.SagaStatus;
import io.safebunny.samples.orders.orchestrated.orders.OrchestratedOrdersNode;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.SpringApplicationAotProcessor;

/** The sample's orchestrator, processed ahead of time as Boot's Maven plugin does it, and run as what came of that. */
@Tag("once")
class AheadOfTimeIT {

    private static final List<String> SETTINGS = List.of(
            "--spring.application.name=storefront", // it listens to the storefront, and there is no other node
            "--safebunny.node=storefront",
            "--safebunny.transport=memory",
            "--safebunny.store.type=memory",
            "--safebunny.retry.max-retries=0", // so that the failure of what is handled in order is retried from the
            // store
            "--spring.datasource.url=jdbc:h2:mem:aot;DB_CLOSE_DELAY=-1",
            "--spring.main.web-application-type=none",
            "--spring.main.banner-mode=off");

    @TempDir
    private Path folder;

    @Test
    @Timeout(value = 2, unit = TimeUnit.MINUTES)
    void runsFromWhatWasProcessedAheadOfTime() throws Exception {
        Path sources = folder.resolve("sources");
        Path classes = folder.resolve("classes");
        List<String> processing = new ArrayList<>(List.of(
                SpringApplicationAotProcessor.class.getName(),
                AheadOfTime.class.getName(),
                sources.toString(),
                folder.resolve("resources").toString(),
                classes.toString(),
                "io.safebunny",
                "order-saga"));
        processing.addAll(SETTINGS);
        run(classPath(), List.of(), processing);
        compile(sources, classes);

        List<String> running = new ArrayList<>(List.of(AheadOfTime.class.getName()));
        running.addAll(SETTINGS);
        // without what was generated, Boot refuses to start in this mode
        String output = run(classes + File.pathSeparator + classPath(), List.of("-Dspring.aot.enabled=true"), running);

        assertThat(classes.resolve("io/safebunny/samples/orders/orchestrated/orders"))
                .as("classes that were generated for " + OrchestratedOrdersNode.class.getSimpleName())
                .isNotEmptyDirectory();
        assertThat(output).contains(AheadOfTime.DONE + SagaStatus.ACTIVE, AheadOfTime.TAKEN + "[2, 1]");
    }

    private static String classPath() {
        return System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
    }

    private void compile(Path sources, Path classes) throws IOException {
        List<String> arguments =
                new ArrayList<>(List.of("-proc:none", "-nowarn", "-cp", classPath(), "-d", classes.toString()));
        try (Stream<Path> files = Files.walk(sources)) {
            files.map(Path::toString).filter(name -> name.endsWith(".java")).forEach(arguments::add);
        }
        int status = Objects.requireNonNull(ToolProvider.getSystemJavaCompiler(), "a JDK")
                .run(null, null, null, arguments.toArray(String[]::new));
        assertThat(status).as("compilation of what was generated").isZero();
    }

    private String run(String classPath, List<String> options, List<String> program) throws Exception {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xmx512m", "-cp", classPath));
        command.addAll(options);
        command.addAll(program);
        Path output = Files.createTempFile(folder, "run", ".log");
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        try {
            boolean ended = process.waitFor(60, TimeUnit.SECONDS);
            String text = Files.readString(output);
            assertThat(ended).as("ended by itself:%n%s", text).isTrue();
            assertThat(process.exitValue()).as("exit status:%n%s", text).isZero();
            return text;
        } finally {
            process.destroyForcibly();
        }
    }
}
