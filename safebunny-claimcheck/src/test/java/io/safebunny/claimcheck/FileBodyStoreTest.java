// SPDX-License-Identifier: Apache-2.0
package io.safebunny.claimcheck;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.safebunny.bodies.BodyReference;
import io.safebunny.doubles.VirtualTimeline;
import io.safebunny.failure.ConfigurationException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What only files can do wrong. */
class FileBodyStoreTest {

    private static final byte[] BODY = "a large body".getBytes(UTF_8);
    private static final BodyReference REFERENCE =
            new BodyReference("files", "order:1", BodyReference.sha256(BODY), BODY.length);

    @TempDir
    private @Nullable Path temporary;

    private final VirtualTimeline timeline = new VirtualTimeline();

    private Path folder() {
        return Objects.requireNonNull(temporary).resolve("bodies");
    }

    private FileBodyStore store() {
        return new FileBodyStore(folder(), timeline);
    }

    private Path directory() {
        return folder().resolve(REFERENCE.sha256().substring(0, 2));
    }

    private Path file() {
        return directory().resolve("order=1-" + REFERENCE.sha256());
    }

    private long files() throws IOException {
        try (Stream<Path> all = Files.walk(folder())) {
            return all.filter(Files::isRegularFile).count() - 1; // the mark
        }
    }

    private static byte @Nullable [] read(FileBodyStore store) throws IOException {
        try (InputStream stream = store.open(REFERENCE)) {
            return stream == null ? null : stream.readAllBytes();
        }
    }

    @Test
    void hasOneFileForEachBodyAndLeavesNothingElseBehind() throws IOException {
        FileBodyStore store = store();
        store.put(REFERENCE, BODY);
        store.put(REFERENCE, BODY);

        assertThat(file()).hasBinaryContent(BODY);
        assertThat(files()).isEqualTo(1);
    }

    @Test
    void aLinkIsNotFollowed() throws IOException {
        FileBodyStore store = store();
        Path secret = Objects.requireNonNull(temporary).resolve("secret");
        Files.write(secret, BODY);
        Files.createDirectories(directory());
        Files.createSymbolicLink(file(), secret);

        assertThat(read(store)).isNull();
        store.put(REFERENCE, BODY); // in its place
        assertThat(Files.isSymbolicLink(file())).isFalse();
        assertThat(read(store)).isEqualTo(BODY);
        assertThat(secret).hasBinaryContent(BODY);
    }

    /** A share that is not mounted leaves an empty folder: the bodies are not missing, they are away. */
    @Test
    void anEmptyMountPointIsAwayAndNotEmpty() throws IOException {
        FileBodyStore store = store();
        store.put(REFERENCE, BODY);
        Files.delete(folder().resolve("safebunny-bodies"));

        assertThatExceptionOfType(IOException.class).isThrownBy(() -> read(store));
        assertThatExceptionOfType(IOException.class).isThrownBy(() -> store.put(REFERENCE, BODY));
        assertThatExceptionOfType(IOException.class).isThrownBy(() -> store.deleteOlderThan(Instant.MAX, 1));
    }

    /** A node that started before its share was mounted has left a mark of its own below it. */
    @Test
    void anotherFolderInItsPlaceIsAwayToo() throws IOException {
        FileBodyStore store = store();
        store.put(REFERENCE, BODY);
        Path mark = folder().resolve("safebunny-bodies");
        String own = Files.readString(mark);
        Files.writeString(mark, "another");

        assertThatExceptionOfType(IOException.class).isThrownBy(() -> read(store));
        assertThatExceptionOfType(IOException.class).isThrownBy(() -> store.put(REFERENCE, BODY));

        Files.writeString(mark, own);
        assertThat(read(store)).isEqualTo(BODY);
        assertThat(read(store())).as("by another instance").isEqualTo(BODY);
    }

    @Test
    void whatCannotBeReadIsAwayAndNotMissing() throws IOException {
        FileBodyStore store = store();
        Files.write(directory(), BODY); // where a folder should be

        assertThatExceptionOfType(IOException.class).isThrownBy(() -> read(store));
    }

    /** A process ended while it was about to delete the file, and the body had been put again in between. */
    @Test
    void whatWasAboutToGoComesBackIfItIsYoung() throws IOException {
        FileBodyStore store = store();
        store.put(REFERENCE, BODY);
        Files.move(file(), file().resolveSibling(file().getFileName() + ".leaving"));
        assertThat(read(store)).isNull();

        assertThat(store.deleteOlderThan(timeline.now().minus(Duration.ofDays(1)), 10))
                .isZero();
        assertThat(read(store)).isEqualTo(BODY);
    }

    @Test
    void aBodyThatWasCutOffIsWrittenAgain() throws IOException {
        FileBodyStore store = store();
        store.put(REFERENCE, BODY);
        Files.write(file(), new byte[3]);
        store.put(REFERENCE, BODY);

        assertThat(read(store)).isEqualTo(BODY);
    }

    @Test
    void deletesWhatAProcessThatEndedHasLeft() throws IOException {
        FileBodyStore store = store();
        Files.createDirectories(directory());
        for (String end : new String[] {".1.part", ".leaving"}) {
            Path left = directory().resolve("order=1-" + REFERENCE.sha256() + end);
            Files.write(left, BODY);
            Files.setLastModifiedTime(left, FileTime.from(timeline.now()));
        }
        timeline.advance(Duration.ofDays(1));

        assertThat(store.deleteOlderThan(timeline.now(), 10)).isEqualTo(2);
        assertThat(files()).isZero();
    }

    @Test
    void aFolderThatCannotBeUsedIsRefusedAtTheStart() throws IOException {
        Files.write(folder(), BODY);

        assertThatExceptionOfType(ConfigurationException.class)
                .isThrownBy(this::store)
                .withMessageContaining("SB-1317")
                .withMessageContaining("bodies");
    }
}
