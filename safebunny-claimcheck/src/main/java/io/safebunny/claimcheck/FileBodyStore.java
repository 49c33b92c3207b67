// SPDX-License-Identifier: Apache-2.0
package io.safebunny.claimcheck;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.file.LinkOption.NOFOLLOW_LINKS;
import static java.nio.file.StandardCopyOption.ATOMIC_MOVE;
import static java.nio.file.StandardOpenOption.CREATE_NEW;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;

import io.safebunny.bodies.BodyReference;
import io.safebunny.bodies.BodyStore;
import io.safebunny.failure.ConfigurationException;
import io.safebunny.identity.RandomIds;
import io.safebunny.time.Timeline;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Keeps each body in a file of a folder that all nodes share. A file is written under another name, forced to the disk and moved, so
 * nobody sees a part of it. Symbolic links are not followed. Thread-safe, also between processes.
 */
public final class FileBodyStore implements BodyStore {

    /** Its name in references. */
    public static final String NAME = "files";

    /** In the folder, with a text of its own, so that the folder below a mount is not taken for it. */
    private static final String MARK = "safebunny-bodies";

    /** Of a file that is about to be deleted. */
    private static final String LEAVING = ".leaving";

    private final Path folder;
    private final Timeline timeline;
    /** What the mark said first. */
    private volatile @Nullable String mark;

    /**
     * @param folder is made if it does not exist
     * @throws ConfigurationException SB-1317 if it cannot be used
     */
    public FileBodyStore(Path folder, Timeline timeline) {
        this.folder = folder.toAbsolutePath().normalize();
        this.timeline = timeline;
        try {
            Files.createDirectories(this.folder);
            makeMark();
            requireThere();
        } catch (IOException e) {
            throw new ConfigurationException(
                    "SB-1317",
                    "The folder of large bodies cannot be used [safebunny.claim-check.files.location=%s]: %s."
                            .formatted(this.folder, e.getClass().getSimpleName()),
                    "Check that it is mounted, and that this process may write into it.",
                    e);
        }
    }

    /** Makes the mark if there is none, and finds out whether this process may write. */
    private void makeMark() throws IOException {
        String id = RandomIds.next(timeline.random());
        Path part = folder.resolve("%s.%s.part".formatted(MARK, id));
        try {
            write(part, id.getBytes(US_ASCII));
            link(part, folder.resolve(MARK));
        } finally {
            Files.deleteIfExists(part);
        }
    }

    /** Gives a whole file a second name, unless that is taken. Not every file system has such names. */
    private static void link(Path part, Path name) throws IOException {
        if (Files.exists(name, NOFOLLOW_LINKS)) {
            return;
        }
        try {
            try {
                Files.createLink(name, part);
            } catch (UnsupportedOperationException | FileSystemException e) {
                Files.move(part, name); // fails, too, if the name is taken
            }
        } catch (FileAlreadyExistsException e) { // another instance was faster
            return;
        }
    }

    @Override
    public String name() {
        return NAME;
    }

    /** By digest, so that folders do not become too large. A key is one name and never a path: it has no separator, and ends with 65 characters without a dot. No id has an equals sign. */
    private Path file(BodyReference reference) {
        return directory(reference).resolve(nameOf(reference));
    }

    private Path directory(BodyReference reference) {
        return folder.resolve(reference.sha256().substring(0, 2));
    }

    private static String nameOf(BodyReference reference) {
        return reference.key().replace(':', '=');
    }

    /** @throws IOException if the folder is away, or another one is in its place */
    private void requireThere() throws IOException {
        String present = Files.readString(folder.resolve(MARK), US_ASCII);
        String first = mark;
        if (first == null) {
            mark = present;
        } else if (!first.equals(present)) {
            throw new IOException("Another folder is in the place of " + folder);
        }
    }

    @Override
    public void put(BodyReference reference, byte[] body) throws IOException {
        requireThere();
        Path file = file(reference);
        Path directory = directory(reference);
        if (isThere(file, body.length)) {
            force(directory); // who has put it may not have come to that
            return;
        }
        if (!Files.isDirectory(directory, NOFOLLOW_LINKS)) {
            Files.createDirectories(directory);
            force(folder);
        }
        Path part = directory.resolve("%s.%s.part"
                .formatted(nameOf(reference), Long.toHexString(timeline.random().nextLong())));
        try {
            write(part, body);
            touch(part);
            Files.move(part, file, ATOMIC_MOVE);
        } finally {
            Files.deleteIfExists(part);
        }
        force(directory);
        requireThere(); // otherwise what has been written may be below a mount that is gone
    }

    /** Whether it was there, and counts as put now. If that cannot be said, it is written again. */
    private boolean isThere(Path file, long length) {
        try {
            BasicFileAttributes found = Files.readAttributes(file, BasicFileAttributes.class, NOFOLLOW_LINKS);
            if (!found.isRegularFile() || found.size() != length) {
                return false;
            }
            touch(file);
            return Files.isRegularFile(file, NOFOLLOW_LINKS); // the sweep may have taken it away in between
        } catch (IOException e) {
            return false;
        }
    }

    private void touch(Path file) throws IOException {
        Files.setLastModifiedTime(file, FileTime.from(timeline.now()));
    }

    private static void write(Path part, byte[] body) throws IOException {
        try (FileChannel channel = FileChannel.open(part, CREATE_NEW, WRITE)) {
            ByteBuffer bytes = ByteBuffer.wrap(body);
            while (bytes.hasRemaining()) {
                channel.write(bytes);
            }
            channel.force(true);
        }
    }

    /** So that the new name survives a crash of the machine. Windows opens no folders, and needs no such thing. */
    private static void force(Path directory) {
        try (FileChannel channel = FileChannel.open(directory, READ)) {
            channel.force(true);
        } catch (IOException notHere) {
            return;
        }
    }

    @Override
    public @Nullable InputStream open(BodyReference reference) throws IOException {
        requireThere();
        Path file = file(reference);
        try {
            return Files.isSymbolicLink(file) ? null : Files.newInputStream(file, READ, NOFOLLOW_LINKS);
        } catch (NoSuchFileException e) {
            requireThere(); // the mount may be gone since
            return null;
        }
    }

    @Override
    public int deleteOlderThan(Instant limit, int most) throws IOException {
        requireThere();
        int deleted = 0;
        IOException failure = null;
        try (DirectoryStream<Path> parts = Files.newDirectoryStream(folder, "[0-9a-f][0-9a-f]")) {
            for (Path part : parts) {
                try {
                    deleted += deleteOlderThan(limit, part, most - deleted);
                } catch (IOException e) { // the other folders have nothing to do with it
                    failure = e;
                }
            }
        }
        if (failure != null && deleted < most) {
            throw failure;
        }
        return deleted;
    }

    private static int deleteOlderThan(Instant limit, Path part, int most) throws IOException {
        int deleted = 0;
        if (!Files.isDirectory(part, NOFOLLOW_LINKS)) {
            return deleted;
        }
        try (DirectoryStream<Path> files = Files.newDirectoryStream(part)) {
            for (Path file : files) {
                if (deleted == most) {
                    break;
                }
                if (!isOlder(file, limit)) {
                    comeBack(file);
                } else if (isDeleted(file, limit)) {
                    deleted++;
                }
            }
        }
        return deleted;
    }

    /** A file that a process was about to delete when it ended, and that has been put again meanwhile. */
    private static void comeBack(Path file) throws IOException {
        String name = String.valueOf(file.getFileName());
        if (name.endsWith(LEAVING)) {
            String before = name.substring(0, name.length() - LEAVING.length());
            try {
                Files.move(file, file.resolveSibling(before));
            } catch (NoSuchFileException | FileAlreadyExistsException e) { // somebody was faster
                return;
            }
        }
    }

    private static boolean isOlder(Path file, Instant limit) throws IOException {
        try {
            BasicFileAttributes found = Files.readAttributes(file, BasicFileAttributes.class, NOFOLLOW_LINKS);
            return !found.isDirectory() && found.lastModifiedTime().toInstant().isBefore(limit);
        } catch (NoSuchFileException e) { // another instance was faster
            return false;
        }
    }

    /**
     * Takes the file away and looks again: who puts the same body meanwhile either has made it younger before, so that it goes back, or
     * does not find it, and writes it again.
     */
    private static boolean isDeleted(Path file, Instant limit) throws IOException {
        String name = String.valueOf(file.getFileName());
        boolean isLeft = name.endsWith(LEAVING); // by a process that ended here
        Path leaving = isLeft ? file : file.resolveSibling(name + LEAVING);
        try {
            if (!isLeft) {
                Files.move(file, leaving, ATOMIC_MOVE);
            }
            if (isOlder(leaving, limit)) {
                return Files.deleteIfExists(leaving);
            }
            Files.move(leaving, file, ATOMIC_MOVE);
        } catch (NoSuchFileException e) { // another instance was faster
            return false;
        }
        return false;
    }
}
