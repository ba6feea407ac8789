-- The tables of WordPress, for both databases: its names of columns and keys, and
-- no foreign keys, as there.
CREATE TABLE wp_posts (
    "ID"                  BIGINT PRIMARY KEY,
    post_author           BIGINT NOT NULL,
    post_date             TIMESTAMP NOT NULL,
    post_date_gmt         TIMESTAMP NOT NULL,
    post_content          TEXT NOT NULL,
    post_title            TEXT NOT NULL,
    post_excerpt          TEXT NOT NULL,
    post_status           VARCHAR(20) NOT NULL,
    comment_status        VARCHAR(20) NOT NULL,
    ping_status           VARCHAR(20) NOT NULL,
    post_password         VARCHAR(255) NOT NULL,
    post_name             VARCHAR(200) NOT NULL,
    to_ping               TEXT NOT NULL,
    pinged                TEXT NOT NULL,
    post_modified         TIMESTAMP NOT NULL,
    post_modified_gmt     TIMESTAMP NOT NULL,
    post_content_filtered TEXT NOT NULL,
    post_parent           BIGINT NOT NULL,
    guid                  VARCHAR(255) NOT NULL,
    menu_order            INTEGER NOT NULL,
    post_type             VARCHAR(20) NOT NULL,
    post_mime_type        VARCHAR(100) NOT NULL,
    comment_count         BIGINT NOT NULL
);
CREATE TABLE wp_postmeta (meta_id BIGINT PRIMARY KEY, post_id BIGINT NOT NULL, meta_key VARCHAR(255), meta_value TEXT);
CREATE TABLE wp_comments (
    "comment_ID"         BIGINT PRIMARY KEY,
    "comment_post_ID"    BIGINT NOT NULL,
    comment_author       TEXT NOT NULL,
    comment_author_email VARCHAR(100) NOT NULL,
    comment_author_url   VARCHAR(200) NOT NULL,
    "comment_author_IP"  VARCHAR(100) NOT NULL,
    comment_date         TIMESTAMP NOT NULL,
    comment_date_gmt     TIMESTAMP NOT NULL,
    comment_content      TEXT NOT NULL,
    comment_karma        INTEGER NOT NULL,
    comment_approved     VARCHAR(20) NOT NULL,
    comment_agent        VARCHAR(255) NOT NULL,
    comment_type         VARCHAR(20) NOT NULL,
    comment_parent       BIGINT NOT NULL,
    user_id              BIGINT NOT NULL
);
CREATE TABLE wp_commentmeta (meta_id BIGINT PRIMARY KEY, comment_id BIGINT NOT NULL, meta_key VARCHAR(255), meta_value TEXT);
CREATE TABLE wp_terms (term_id BIGINT PRIMARY KEY, name VARCHAR(200) NOT NULL, slug VARCHAR(200) NOT NULL, term_group BIGINT NOT NULL);
CREATE TABLE wp_termmeta (meta_id BIGINT PRIMARY KEY, term_id BIGINT NOT NULL, meta_key VARCHAR(255), meta_value TEXT);
CREATE TABLE wp_term_taxonomy (
    term_taxonomy_id BIGINT PRIMARY KEY,
    term_id          BIGINT NOT NULL,
    taxonomy         VARCHAR(32) NOT NULL,
    description      TEXT NOT NULL,
    parent           BIGINT NOT NULL,
    count            BIGINT NOT NULL
);
CREATE TABLE wp_term_relationships (
    object_id        BIGINT NOT NULL,
    term_taxonomy_id BIGINT NOT NULL,
    term_order       INTEGER NOT NULL,
    PRIMARY KEY (object_id, term_taxonomy_id)
);
CREATE TABLE wp_users (
    "ID"                BIGINT PRIMARY KEY,
    user_login          VARCHAR(60) NOT NULL,
    user_pass           VARCHAR(255) NOT NULL,
    user_nicename       VARCHAR(50) NOT NULL,
    user_email          VARCHAR(100) NOT NULL,
    user_url            VARCHAR(100) NOT NULL,
    user_registered     TIMESTAMP NOT NULL,
    user_activation_key VARCHAR(255) NOT NULL,
    user_status         INTEGER NOT NULL,
    display_name        VARCHAR(250) NOT NULL
);
CREATE TABLE wp_usermeta (umeta_id BIGINT PRIMARY KEY, user_id BIGINT NOT NULL, meta_key VARCHAR(255), meta_value TEXT);
CREATE TABLE wp_links (
    link_id          BIGINT PRIMARY KEY,
    link_url         VARCHAR(255) NOT NULL,
    link_name        VARCHAR(255) NOT NULL,
    link_image       VARCHAR(255) NOT NULL,
    link_target      VARCHAR(25) NOT NULL,
    link_description VARCHAR(255) NOT NULL,
    link_visible     VARCHAR(20) NOT NULL,
    link_owner       BIGINT NOT NULL,
    link_rating      INTEGER NOT NULL,
    link_updated     TIMESTAMP NOT NULL,
    link_rel         VARCHAR(255) NOT NULL,
    link_notes       TEXT NOT NULL,
    link_rss         VARCHAR(255) NOT NULL
);
CREATE TABLE wp_options (
    option_id    BIGINT PRIMARY KEY,
    option_name  VARCHAR(191) NOT NULL UNIQUE,
    option_value TEXT NOT NULL,
    autoload     VARCHAR(20) NOT NULL
);
