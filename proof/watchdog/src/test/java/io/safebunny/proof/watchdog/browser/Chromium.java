// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.watchdog.browser;

import java.io.File;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;

/**
 * The machine's own Chromium and the driver that fits it, without a window.
 *
 * @param program the browser
 * @param driver the program that drives it
 */
record Chromium(File program, File driver) {

    /** Empty if the machine has none. */
    static Optional<Chromium> installed() {
        return onPath("chromium")
                .flatMap(program -> onPath("chromedriver").map(driver -> new Chromium(program, driver)));
    }

    private static Optional<File> onPath(String name) {
        return Arrays.stream(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator, -1))
                .map(folder -> new File(folder, name))
                .filter(File::canExecute)
                .findFirst();
    }

    ChromeDriver start() {
        ChromeOptions options = new ChromeOptions();
        options.setBinary(program);
        options.addArguments("--headless=new", "--disable-dev-shm-usage", "--no-first-run", "--window-size=1280,900");
        if ("root".equals(System.getProperty("user.name"))) {
            options.addArguments("--no-sandbox"); // it refuses to start as root with one
        }
        options.setCapability("goog:loggingPrefs", Map.of("browser", "ALL"));
        ChromeDriverService service = new ChromeDriverService.Builder()
                .usingDriverExecutable(driver)
                .usingAnyFreePort()
                .build();
        return new ChromeDriver(service, options);
    }
}
