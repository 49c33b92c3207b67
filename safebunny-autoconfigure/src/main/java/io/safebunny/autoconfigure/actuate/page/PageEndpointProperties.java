// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure.actuate.page;

import io.safebunny.failure.ConfigurationException;
import io.safebunny.message.Names;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * @param pages Addresses of the pages of other nodes, by the name of the node, and of other instances of this node, by the name of their
 *     host (HOSTNAME); the page links to them.
 */
@ConfigurationProperties("management.endpoint.safebunnyui")
public record PageEndpointProperties(@DefaultValue Map<String, String> pages) {

    private static final Set<String> SCHEMES = Set.of("http", "https");

    /**
     * The addresses, by the name of the node or host. Only the application's own configuration has them: what an instance says of itself over the
     * broker is not proven, and a link could lead anywhere.
     *
     * @throws ConfigurationException SB-1301 if a name can be no node's, or an address cannot be opened by a browser
     */
    Map<String, String> links() {
        Map<String, String> links = new TreeMap<>();
        pages.forEach((node, address) -> {
            String problem = Names.isNode(node) ? problem(address) : "no node can have this name";
            if (problem != null) {
                throw new ConfigurationException(
                        "SB-1301",
                        "Invalid property [management.endpoint.safebunnyui.pages.%s]: %s."
                                .formatted(Names.printable(node), problem),
                        "Set it to the address at which a browser finds that node's page, such as https://billing.example.com/actuator/safebunnyui, or remove it. A name with dots takes brackets: pages[billing.eu].");
            }
            links.put(node, address);
        });
        return links;
    }

    private static @Nullable String problem(String address) {
        try {
            URI uri = new URI(address);
            if (uri.getScheme() == null || !SCHEMES.contains(uri.getScheme()) || uri.getHost() == null) {
                return "the address is not absolute, or begins with neither http:// nor https://";
            }
            return uri.getUserInfo() == null
                    ? null
                    : "the address has a user or a password in it, which every viewer would see";
        } catch (URISyntaxException e) {
            return "the address has a character that none can have";
        }
    }
}
