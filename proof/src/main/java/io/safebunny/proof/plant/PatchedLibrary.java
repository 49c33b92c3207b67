// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.plant;

import java.io.File;
import java.io.IOException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.util.FileSystemUtils;
import org.springframework.util.StringUtils;

/** A copy of everything on the class path, with a fault in it. For use by one thread. */
public final class PatchedLibrary implements AutoCloseable {

    private final Path folder;
    private final URLClassLoader classes;

    /**
     * @param sources the library's source folder
     * @param patch {@code null} for a copy without a fault
     */
    public PatchedLibrary(Path sources, @Nullable Patch patch) throws IOException {
        folder = Files.createTempDirectory("safebunny-patched-");
        try {
            if (patch != null) {
                patch.plant(sources, folder);
            }
        } catch (IOException | RuntimeException e) {
            FileSystemUtils.deleteRecursively(folder);
            throw e;
        }
        classes = new URLClassLoader(classPath(folder), ClassLoader.getPlatformClassLoader());
    }

    /** In the copy. */
    public Class<?> load(String name) throws ClassNotFoundException {
        return classes.loadClass(name);
    }

    private static URL[] classPath(Path first) throws MalformedURLException {
        List<URL> urls = new ArrayList<>();
        urls.add(first.toUri().toURL());
        for (String entry :
                StringUtils.tokenizeToStringArray(System.getProperty("java.class.path"), File.pathSeparator)) {
            urls.add(new File(entry).toURI().toURL());
        }
        return urls.toArray(URL[]::new);
    }

    @Override
    public void close() throws IOException {
        classes.close();
        FileSystemUtils.deleteRecursively(folder);
    }
}
