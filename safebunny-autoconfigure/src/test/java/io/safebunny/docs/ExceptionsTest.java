// SPDX-License-Identifier: Apache-2.0
package io.safebunny.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What the library throws at applications has a code: it makes no exceptions of others, except those listed here. */
class ExceptionsTest {

    private static final Path PROJECT = Path.of("..").toAbsolutePath().normalize();
    private static final List<String> MODULES = List.of(
            "safebunny-api",
            "safebunny-core",
            "safebunny-rabbit",
            "safebunny-jdbc",
            "safebunny-cosmos",
            "safebunny-crypto",
            "safebunny-vault",
            "safebunny-claimcheck",
            "safebunny-cbor",
            "safebunny-protobuf",
            "safebunny-autoconfigure");
    private static final Pattern MADE =
            Pattern.compile("\\bnew (?:\\w+\\.)*(\\w+(?:Exception|Error))\\b|\\b(\\w+(?:Exception|Error))::new");
    private static final Pattern DECLARED =
            Pattern.compile("\\bclass (\\w+(?:Exception|Error)) extends (\\w+Exception)\\b");

    /** By source file and exception, why no application gets to see it, or why it must be of this type. */
    private static final Map<String, String> OTHERS = Map.ofEntries(
            // of the wrong type otherwise
            Map.entry("MessageScope IllegalStateException", "asked for by Spring's Scope; its text has a code"),
            Map.entry("OpenTransaction UnexpectedRollbackException", "Spring's own word for it, as of its commit"),
            // caught by ours and told with a code
            Map.entry("RecordJson IllegalArgumentException", "each store tells it as an UnreadableRecordException"),
            Map.entry("OutboundReader IllegalArgumentException", "part of RecordJson"),
            Map.entry("TrailJson IllegalArgumentException", "what it cannot read is no trail"),
            Map.entry("ExactNumbers StreamConstraintsException", "told as a SerializationException"),
            Map.entry("RecordDocument IllegalArgumentException", "told as an UnreadableRecordException"),
            Map.entry("ClaimedRow IllegalArgumentException", "the relay logs it and leaves the row to others"),
            Map.entry("OutboxTable SQLException", "told as a StoreUnavailableException"),
            Map.entry("PacketLimit SQLDataException", "told as a RecordRefusedException"),
            Map.entry("Reports RejectedExecutionException", "the log says what is not told"),
            Map.entry("Channels IOException", "told as a ConnectionLostException"),
            Map.entry("Dialer IOException", "the connection is tried again"),
            Map.entry(
                    "Declarations IOException", "the connection is tried again, or told as a ConnectionLostException"),
            Map.entry("RabbitControl IOException", "told by ControlChannel.problem, and tried again"),
            Map.entry(
                    "SchemaStatement IllegalStateException", "a script of ours that is not what it must be: the build"),
            Map.entry("RabbitSender IOException", "told as a ConnectionLostException"),
            Map.entry("HandlingRate IllegalArgumentException", "told as a ConfigurationException"),
            Map.entry("Question IllegalArgumentException", "what is read then is no question"),
            Map.entry("RabbitTopology AmqpException", "the command says so and ends with status 1"),
            Map.entry("RabbitTopology AmqpIOException", "the same"),
            Map.entry("Permits InterruptedException", "told as a PublishTimeoutException"),
            Map.entry("SharedLock InterruptedException", "the message comes back"),
            Map.entry("FileBodyStore IOException", "told as a BodyStoreUnavailableException"),
            Map.entry("PartsStream IOException", "told as a BodyStoreUnavailableException"),
            Map.entry("DataKeys IllegalArgumentException", "told as a CodecException"),
            Map.entry("SealedBody IllegalArgumentException", "told as a CodecException"),
            Map.entry("SealedBody InvalidKeyException", "told as a CodecException"),
            Map.entry("SealedBody GeneralSecurityException", "told as a CodecException"),
            Map.entry("WrappedKey IllegalArgumentException", "told as a CodecException"),
            Map.entry("VaultKeys IllegalArgumentException", "told as a CodecException, or as KeysUnavailableException"),
            Map.entry("KeyVersion IllegalArgumentException", "told as a KeysUnavailableException"),
            Map.entry("KeystoreKeys InvalidKeyException", "told as a ConfigurationException, or logged"),
            // of simulations and tests
            Map.entry("VirtualTimeline InterruptedException", "as the machine's clock"),
            Map.entry("VirtualTimeline TimeoutException", "as the machine's clock"),
            Map.entry("VirtualTimeline AssertionError", "ends a wait that would last for ever"),
            // cannot be
            Map.entry(
                    "TransactionalMessageStore UnsupportedOperationException",
                    "marks are set only in stores that share transactions"),
            Map.entry("HandlerInvoker UnsupportedOperationException", "only what takes batches is called with one"),
            Map.entry("JointWrite IllegalArgumentException", "only the library calls a store, with one correlation id"),
            Map.entry("GzipCodec UncheckedIOException", "memory does no I/O"),
            Map.entry("Lane IllegalArgumentException", "told as an UnreadableRecordException"),
            Map.entry("LaneRules IllegalStateException", "a defect of ours: no lane is asked for what it cannot do"),
            Map.entry("OrderKey IllegalStateException", "every Java platform has SHA-256"),
            Map.entry("FieldHash IllegalStateException", "every Java platform has SHA-256 and HmacSHA256"),
            Map.entry("DocumentSize IllegalStateException", "a tree of text and numbers can be written"),
            Map.entry("JdbcSchema UncheckedIOException", "the script is in the same jar"),
            Map.entry("PageFiles UncheckedIOException", "its files are in the same jar"),
            Map.entry("HandlerTransaction IllegalStateException", "Deduplication begins before it ends"),
            Map.entry("Combiner IllegalStateException", "a batch answers each of its calls"),
            Map.entry(
                    "PauseOrder IllegalArgumentException",
                    "told as an UnreadableRecordException; what another instance tells is ignored"),
            Map.entry("PauseLimits IllegalArgumentException", "part of PauseOrder"),
            Map.entry("Sender IllegalArgumentException", "what another instance tells is ignored"),
            Map.entry("ReentrantTurns IllegalMonitorStateException", "who locks unlocks"),
            Map.entry("ReentrantTurns AssertionError", "a turn is only ever completed"),
            Map.entry("SideBySide IllegalStateException", "what it waits for never fails"),
            Map.entry("Places InterruptedException", "becomes the failure of the publication"),
            Map.entry("ManagementApi UnaskedException", "becomes a finding"),
            Map.entry("RabbitTopology IllegalStateException", "writing definitions down does no I/O"),
            Map.entry("Delay IllegalArgumentException", "nothing delays a poison message"));

    /** By name without extension. */
    private static Map<String, String> sources() throws IOException {
        Map<String, String> sources = new TreeMap<>();
        for (String module : MODULES) {
            try (Stream<Path> files = Files.walk(PROJECT.resolve(module).resolve("src/main/java"))) {
                for (Path file :
                        files.filter(path -> path.toString().endsWith(".java")).toList()) {
                    String name = file.getFileName().toString().replace(".java", "");
                    sources.merge(name, Files.readString(file), String::concat);
                }
            }
        }
        return sources;
    }

    /** Exceptions of the library, and what they extend. */
    private static Map<String, String> ours() throws IOException {
        return sources().values().stream()
                .flatMap(source -> DECLARED.matcher(source).results())
                .collect(Collectors.toMap(found -> found.group(1), found -> found.group(2)));
    }

    @Test
    void haveACode() throws IOException {
        Set<String> ours = ours().keySet();
        Set<String> others = new TreeSet<>();
        sources().forEach((file, source) -> {
            Matcher made = MADE.matcher(source);
            while (made.find()) {
                String exception = made.group(1) == null ? made.group(2) : made.group(1);
                if (!ours.contains(exception)) {
                    others.add(file + " " + exception);
                }
            }
        });
        assertThat(others).isEqualTo(new TreeSet<>(OTHERS.keySet()));
    }

    @Test
    void haveOneRoot() throws IOException {
        Map<String, String> ours = ours();
        assertThat(ours).hasSizeGreaterThan(15);
        assertThat(ours.keySet()).allSatisfy(exception -> {
            String ancestor = exception;
            while (ours.containsKey(ancestor) && !ancestor.equals("SafeBunnyException")) {
                ancestor = ours.get(ancestor);
            }
            assertThat(ancestor).as(exception).isEqualTo("SafeBunnyException");
        });
    }
}
