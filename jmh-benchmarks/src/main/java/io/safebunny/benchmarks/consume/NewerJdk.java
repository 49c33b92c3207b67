// SPDX-License-Identifier: Apache-2.0
package io.safebunny.benchmarks.consume;

import io.safebunny.benchmarks.broker.BenchBroker;
import io.safebunny.benchmarks.contest.Figures;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import tools.jackson.core.type.TypeReference;
import tools.jackson.databind.json.JsonMapper;

/**
 * A process of a JDK with virtual threads, in which contenders handle messages on them; it lives for a section, so that it warms up as the
 * others do. For one thread.
 */
final class NewerJdk implements AutoCloseable {

    private static final JsonMapper JSON = JsonMapper.shared();
    private static final String MEMORY = "1g";

    private final Process process;
    private final PrintStream requests;
    private final BufferedReader answers;

    /** @param java of Java 21 or newer */
    NewerJdk(String java, URI broker) throws IOException {
        process = new ProcessBuilder(
                        java,
                        "-Xms" + MEMORY,
                        "-Xmx" + MEMORY,
                        "-cp",
                        System.getProperty("java.class.path"),
                        NewerJdk.class.getName(),
                        broker.toString())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        requests = new PrintStream(process.getOutputStream(), true, StandardCharsets.UTF_8);
        answers = process.inputReader(StandardCharsets.UTF_8);
    }

    /** Whether it can be asked; it ends when a turn fails. */
    boolean isAlive() {
        return process.isAlive();
    }

    /**
     * One turn in the process.
     *
     * @param ours whether SafeBunny handles the messages, or listeners
     */
    record Request(boolean ours, int atOnce, int prefetch, Waits waits) {}

    Figures measure(Request request) throws IOException {
        requests.println(JSON.writeValueAsString(request));
        String answer = answers.readLine();
        if (answer == null) {
            throw new IOException("The process with virtual threads has ended: see its messages above.");
        }
        return new Figures(JSON.readValue(answer, new TypeReference<LinkedHashMap<String, Double>>() {}));
    }

    @Override
    public void close() {
        requests.close();
        process.destroy();
    }

    /** @param arguments the broker's address; requests come from standard input, figures go to standard output */
    public static void main(String... arguments) {
        PrintStream out = System.out;
        System.setOut(System.err); // whatever else is printed is no answer
        int status = 0;
        try {
            answer(URI.create(arguments[0]), out);
        } catch (Exception e) {
            e.printStackTrace();
            status = 1;
        }
        System.exit(status); // the client's threads would keep the process, and whoever waits for its answer
    }

    private static void answer(URI uri, PrintStream out) throws Exception {
        try (BenchBroker broker = new BenchBroker(uri);
                BufferedReader requests =
                        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
            Places places = new Places(broker);
            for (String line = requests.readLine(); line != null; line = requests.readLine()) {
                Request request = JSON.readValue(line, Request.class);
                Places.Opening opening = request.ours()
                        ? places.safeBunnyOnVirtualThreads(request.atOnce())
                        : places.listenersOnVirtualThreads(request.atOnce(), request.prefetch());
                Map<String, Double> figures =
                        request.waits().measure(broker, places.queue(), opening).byName();
                out.println(JSON.writeValueAsString(figures));
            }
        }
    }
}
