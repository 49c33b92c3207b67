// SPDX-License-Identifier: Apache-2.0
package io.safebunny.docs.encrypting;

import org.springframework.context.annotation.Configuration;
import org.springframework.vault.authentication.AppRoleAuthentication;
import org.springframework.vault.authentication.AppRoleAuthenticationOptions;
import org.springframework.vault.authentication.AppRoleAuthenticationOptions.RoleId;
import org.springframework.vault.authentication.AppRoleAuthenticationOptions.SecretId;
import org.springframework.vault.authentication.ClientAuthentication;
import org.springframework.vault.client.VaultEndpoint;
import org.springframework.vault.config.AbstractVaultConfiguration;

@Configuration
class VaultClient extends AbstractVaultConfiguration {

    @Override
    public VaultEndpoint vaultEndpoint() {
        return VaultEndpoint.create("vault.example.com", 8200);
    }

    @Override
    public ClientAuthentication clientAuthentication() {
        AppRoleAuthenticationOptions login = AppRoleAuthenticationOptions.builder()
                .roleId(RoleId.provided(getEnvironment().getRequiredProperty("vault.role-id")))
                .secretId(SecretId.provided(getEnvironment().getRequiredProperty("vault.secret-id")))
                .build();
        return new AppRoleAuthentication(login, restOperations());
    }
}
