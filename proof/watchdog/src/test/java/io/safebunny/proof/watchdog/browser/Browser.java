// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.watchdog.browser;

import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.awaitility.core.ConditionTimeoutException;
import org.jspecify.annotations.Nullable;
import org.openqa.selenium.By;
import org.openqa.selenium.Cookie;
import org.openqa.selenium.ElementClickInterceptedException;
import org.openqa.selenium.ElementNotInteractableException;
import org.openqa.selenium.Keys;
import org.openqa.selenium.OutputType;
import org.openqa.selenium.StaleElementReferenceException;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.WindowType;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.interactions.Actions;
import org.openqa.selenium.logging.LogType;
import org.openqa.selenium.remote.Command;
import org.openqa.selenium.remote.DriverCommand;

/**
 * A browser with one window, driven as a person does: by what it shows, and by keys. Everything that acts waits until it can, at most
 * forty seconds, because a page asks less often what has failed. Not thread-safe.
 */
public final class Browser implements AutoCloseable {

    /** Which colours the person prefers. */
    public enum Scheme {
        LIGHT,
        DARK;

        @Override
        public String toString() {
            return this == LIGHT ? "light" : "dark";
        }
    }

    /**
     * A place where the key Tab has stopped.
     *
     * @param name what a screen reader says of it
     * @param isMarked whether it looks other than without the focus
     */
    public record Stop(String name, boolean isMarked) {}

    /**
     * What the server has answered to a request of the page.
     *
     * @param path with the query
     * @param bytes size of the body
     */
    public record Answer(String path, long bytes, Duration took) {}

    /** What becomes of requests of the page. */
    public enum Fault {
        /** Nothing: nobody answers. The page loses its patience after a fifth of a second. */
        NEVER,
        /** They reach the server, and its answer does not reach the page. */
        LOST,
        /** The answer comes when {@link Browser#letThrough} lets it. */
        HELD,
        /** Every second answer says that it is of another instance. */
        IN_TURNS
    }

    private static final Duration PATIENCE = Duration.ofSeconds(40);
    private static final Duration BETWEEN_LOOKS = Duration.ofMillis(50);
    private static final int MOST_STOPS = 200;

    private static final Set<String> LOUD = Set.of("WARNING", "SEVERE");
    /** The sources of entries that a page can be blamed for. */
    private static final Set<String> OF_PAGES = Set.of("console-api", "javascript", "network", "security");

    private static final String ANYWHERE = ":root";
    private static final String BUTTONS = "button, a[href], summary, [role=tab]";
    private static final String FIELDS = "input, select, textarea";

    private final ChromeDriver driver;

    Browser(ChromeDriver driver) {
        this.driver = driver;
        driver.manage().timeouts().scriptTimeout(PATIENCE);
        driver.manage().timeouts().pageLoadTimeout(PATIENCE);
    }

    /** Opens an address; if only its fragment differs from the one that is open, the page stays and is told. */
    public void open(URI address) {
        driver.get(address.toString());
    }

    public URI address() {
        return URI.create(Objects.requireNonNull(driver.getCurrentUrl()));
    }

    /** Leaves the page and forgets who was logged in, and what was typed. */
    void forget() {
        driver.executeScript("try { sessionStorage.clear() } catch { /* there is none */ }");
        driver.executeCdpCommand("Network.clearBrowserCookies", Map.of());
        driver.get("about:blank");
        prefer(Scheme.LIGHT);
        onADesk();
        complaints();
    }

    /** What is to be seen, as text, with every run of white space as one space. */
    public String text() {
        return run(String.class, "return document.body.innerText.replace(/\\s+/g, ' ')");
    }

    /** Waits until all of this is to be seen. */
    public void shows(String... texts) {
        until("the text " + List.of(texts), () -> {
            String shown = text();
            return Stream.of(texts).allMatch(shown::contains);
        });
    }

    /** Waits until none of this is to be seen. */
    public void hides(String... texts) {
        until("no text " + List.of(texts), () -> {
            String shown = text();
            return Stream.of(texts).noneMatch(shown::contains);
        });
    }

    /** Waits until it is so. */
    public void until(String wanted, BooleanSupplier condition) {
        try {
            await(wanted)
                    .pollInSameThread()
                    .pollDelay(Duration.ZERO)
                    .pollInterval(BETWEEN_LOOKS)
                    .atMost(PATIENCE)
                    .ignoreExceptionsMatching(Browser::isBeingDrawn)
                    .until(condition::getAsBoolean);
        } catch (ConditionTimeoutException e) {
            throw new AssertionError(
                    "The page never had %s.%nAt %s it shows: %s%nIt complains of: %s"
                            .formatted(wanted, address(), text(), complaints()),
                    e);
        }
    }

    /** Whether the element was replaced, covered or not there yet, so that nothing has happened. */
    private static boolean isBeingDrawn(Throwable failure) {
        return failure instanceof StaleElementReferenceException
                || failure instanceof ElementClickInterceptedException
                || failure instanceof ElementNotInteractableException;
    }

    private @Nullable WebElement find(String kinds, String name, String place) {
        return (WebElement) driver.executeScript(Scripts.FIND, kinds, name, place);
    }

    /** Whether there is a button or link of this name now. */
    public boolean has(String button) {
        return find(BUTTONS, button, ANYWHERE) != null;
    }

    /** Clicks the button or link. */
    public void click(String name) {
        clickIn(ANYWHERE, name);
    }

    /** @param place a selector of what the button or link is in */
    public void clickIn(String place, String name) {
        until("a button or link '%s' in %s that can be clicked".formatted(name, place), () -> {
            WebElement button = find(BUTTONS, name, place);
            if (button == null || !button.isEnabled()) {
                return false;
            }
            button.click();
            return true;
        });
    }

    /** Writes into a field, in place of what it has; chooses the option, if it is a choice. */
    public void fill(String label, String text) {
        until("a field '" + label + "'", () -> {
            WebElement field = find(FIELDS, label, ANYWHERE);
            if (field == null || !field.isEnabled()) {
                return false;
            }
            if (field.getTagName().equals("select")) {
                return choose(field, text);
            } else {
                field.sendKeys(Keys.chord(Keys.CONTROL, "a"), text);
            }
            return true;
        });
    }

    private static boolean choose(WebElement field, String text) {
        Optional<WebElement> option = field.findElements(By.tagName("option")).stream()
                .filter(one -> one.getText().regionMatches(true, 0, text, 0, text.length()))
                .findFirst();
        option.ifPresent(WebElement::click);
        return option.isPresent();
    }

    /** Ticks the box, or takes the tick away. */
    public void tick(String label) {
        until("a box '" + label + "'", () -> {
            WebElement box = find(FIELDS, label, ANYWHERE);
            if (box == null) {
                return false;
            }
            box.click();
            return true;
        });
    }

    /** What the frame shows that the page has, as text. */
    public String textOfFrame() {
        driver.switchTo().frame(0);
        try {
            return text();
        } finally {
            driver.switchTo().defaultContent();
        }
    }

    /** Presses these keys, one after the other, wherever the focus is. */
    public void press(CharSequence... keys) {
        new Actions(driver).sendKeys(keys).perform();
    }

    /** Where the focus is; {@code null} if it is on nothing of the page. */
    public @Nullable Stop focus() {
        List<?> focus = (List<?>) driver.executeScript(Scripts.FOCUS);
        return focus == null ? null : new Stop((String) focus.get(0), (Boolean) focus.get(1));
    }

    /** Whether the focus is on what has this name. */
    public boolean isAt(String name) {
        Stop stop = focus();
        return stop != null && stop.name().equals(name);
    }

    /**
     * Presses Tab until the focus is there.
     *
     * @return where it has stopped, this place included
     */
    public List<Stop> tabTo(String name) {
        List<Stop> stops = new ArrayList<>();
        for (int i = 0; i < MOST_STOPS; i++) {
            press(Keys.TAB);
            Stop stop = focus();
            if (stop != null) { // else it is between the end of the page and its beginning
                stops.add(stop);
            }
            if (stop != null && stop.name().equals(name)) {
                return stops;
            }
        }
        throw new AssertionError("The key Tab never stops at '%s' at %s, but at: %s".formatted(name, address(), stops));
    }

    /** Faults that keep somebody from using what is shown now: each with its rule and its place. */
    public List<String> barriers() {
        if (run(Boolean.class, "return typeof axe === 'undefined'")) {
            driver.executeScript(Axe.script());
        }
        List<?> found = (List<?>) Objects.requireNonNull(driver.executeAsyncScript(Scripts.AUDIT));
        return found.stream().map(String::valueOf).toList();
    }

    /**
     * What pages have caused on the console since the last call, from warnings up; violations of their policy are there. Not what the browser
     * says of itself: that it is slow, or what its next version leaves out.
     */
    public List<String> complaints() {
        return logged().stream()
                .filter(entry -> LOUD.contains(entry.get("level")) && OF_PAGES.contains(entry.get("source")))
                .map(entry -> String.valueOf(entry.get("message")))
                .filter(line -> !line.contains("/favicon.ico")) // of the page for the login; ours names an icon
                .toList();
    }

    /** As the driver has it: Selenium leaves out of which source each entry is. */
    private List<Map<?, ?>> logged() {
        Command command = new Command(driver.getSessionId(), DriverCommand.GET_LOG, Map.of("type", LogType.BROWSER));
        try {
            List<Map<?, ?>> entries = new ArrayList<>();
            for (Object entry : (List<?>) Objects.requireNonNull(
                    driver.getCommandExecutor().execute(command).getValue())) {
                entries.add((Map<?, ?>) entry);
            }
            return entries;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** From the beginning of the navigation until the page first showed anything. */
    public Duration firstPaint() {
        String paint = "performance.getEntriesByName('first-contentful-paint')";
        until("a first paint", () -> run(Boolean.class, "return %s.length > 0".formatted(paint)));
        return millis(run(Number.class, "return %s[0].startTime".formatted(paint)));
    }

    private static Duration millis(Number value) {
        return Duration.ofNanos((long) (value.doubleValue() * 1_000_000));
    }

    /** The answers since the page was loaded, at most the first 250. */
    public List<Answer> answers() {
        List<Answer> answers = new ArrayList<>();
        for (Object entry : run(List.class, Scripts.ANSWERS)) {
            List<?> values = (List<?>) entry;
            answers.add(new Answer(
                    (String) values.get(0), ((Number) values.get(1)).longValue(), millis((Number) values.get(2))));
        }
        return answers;
    }

    /**
     * Interferes with requests, until {@link #letThrough} or until the page is loaded anew.
     *
     * @param address part of theirs
     */
    public void interfere(String method, String address, Fault fault) {
        driver.executeScript(Scripts.INTERFERE, method, address, fault.name());
    }

    /** Answers in place of the server, with the status 200: JSON if it begins with a brace. */
    public void answer(String method, String address, String body) {
        driver.executeScript(Scripts.INTERFERE, method, address, body);
    }

    /** Interferes no more, and hands over what was held. */
    public void letThrough() {
        driver.executeScript(Scripts.INTERFERE_NO_MORE);
    }

    /** Loads the page again. */
    public void reload() {
        driver.navigate().refresh();
    }

    /** Has the page believe that so much time has passed at once. */
    public void passTime(Duration time) {
        driver.executeScript("const now = Date.now; Date.now = () => now() + arguments[0]"
                .replace("arguments[0]", String.valueOf(time.toMillis())));
    }

    /** What is in the field. */
    public String valueOf(String label) {
        WebElement field = Objects.requireNonNull(find(FIELDS, label, ANYWHERE), label);
        return Objects.requireNonNull(field.getDomProperty("value"));
    }

    /** Back in the history. */
    public void back() {
        driver.navigate().back();
    }

    /** Lets the page know that it is not seen, does something in a tab of its own, closes that, and comes back. */
    public void inAnotherTab(Runnable task) {
        String here = driver.getWindowHandle();
        driver.switchTo().newWindow(WindowType.TAB);
        try {
            task.run();
        } finally {
            driver.close();
            driver.switchTo().window(here);
        }
    }

    /** The result of a script in the page. */
    public <T> T run(Class<T> type, String script, Object... arguments) {
        return type.cast(Objects.requireNonNull(driver.executeScript(script, arguments)));
    }

    /** The names of its cookies for the page that is open. */
    public List<String> cookies() {
        return driver.manage().getCookies().stream().map(Cookie::getName).toList();
    }

    /** Gives the cookie another value, for the same pages. */
    public void setCookie(String name, String value) {
        Cookie old = Objects.requireNonNull(driver.manage().getCookieNamed(name), name);
        driver.manage().deleteCookie(old);
        driver.manage()
                .addCookie(new Cookie.Builder(name, value)
                        .path(old.getPath())
                        .isHttpOnly(old.isHttpOnly())
                        .build());
    }

    public void prefer(Scheme scheme) {
        driver.executeCdpCommand(
                "Emulation.setEmulatedMedia",
                Map.of("features", List.of(Map.of("name", "prefers-color-scheme", "value", scheme.toString()))));
    }

    /** The size of a small phone, held upright. */
    public void onAPhone() {
        driver.executeCdpCommand(
                "Emulation.setDeviceMetricsOverride",
                Map.of("width", 360, "height", 740, "deviceScaleFactor", 2, "mobile", true));
    }

    /** Of this size, and without scrollbars, whatever screen there is. */
    public void inAWindow(int width, int height) {
        driver.executeCdpCommand("Emulation.setScrollbarsHidden", Map.of("hidden", true));
        driver.executeCdpCommand(
                "Emulation.setDeviceMetricsOverride",
                Map.of("width", width, "height", height, "deviceScaleFactor", 1, "mobile", false));
        until(
                "no scrollbar",
                () -> run(Number.class, "return document.documentElement.clientWidth")
                                .intValue()
                        == width);
    }

    public void onADesk() {
        driver.executeCdpCommand("Emulation.setScrollbarsHidden", Map.of("hidden", false));
        driver.executeCdpCommand("Emulation.clearDeviceMetricsOverride", Map.of());
    }

    /** What the window shows, as PNG. */
    public void photograph(Path file) {
        try {
            Files.createDirectories(file.toAbsolutePath().getParent());
            Files.write(file, driver.getScreenshotAs(OutputType.BYTES));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        driver.quit();
    }
}
