-- A store of schema 2, written by it: three players, games_per_match = 2.
CREATE TABLE maxin_head (
  id INTEGER NOT NULL,
  seq BIGINT NOT NULL,
  schema INTEGER NOT NULL,
  asked BIGINT DEFAULT '0' NOT NULL,
  changed BIGINT DEFAULT '0' NOT NULL,
  unsealed BIGINT DEFAULT '0' NOT NULL,
  digest TEXT DEFAULT '' NOT NULL,
  PRIMARY KEY (id)
);
INSERT INTO maxin_head VALUES(1,17,2,6,14,0,'d762580986a98a4b9c672c70a33d092b');
CREATE TABLE maxin_settings (
  "key" TEXT NOT NULL,
  value TEXT NOT NULL,
  PRIMARY KEY ("key")
);
INSERT INTO maxin_settings VALUES('goal','"best"');
INSERT INTO maxin_settings VALUES('scheduler','"top-two"');
INSERT INTO maxin_settings VALUES('seed','7');
INSERT INTO maxin_settings VALUES('games_per_match','2');
INSERT INTO maxin_settings VALUES('first_advantage','false');
INSERT INTO maxin_settings VALUES('lag','0');
INSERT INTO maxin_settings VALUES('min_matches','0');
INSERT INTO maxin_settings VALUES('match','"by hand"');
INSERT INTO maxin_settings VALUES('players','["anna", "bo", "cy"]');
CREATE TABLE maxin_players (
  seq INTEGER NOT NULL,
  player INTEGER NOT NULL,
  name TEXT NOT NULL,
  state TEXT NOT NULL,
  options TEXT,
  time FLOAT NOT NULL,
  digest TEXT,
  PRIMARY KEY (seq)
);
INSERT INTO maxin_players VALUES(2,0,'anna','active','{}',1700000003.0,'9b8bd3b5c9e86e9f3a3c320a8821a066');
INSERT INTO maxin_players VALUES(3,1,'bo','active','{}',1700000003.0,'28fec27155117edbdcc50624e7fa7510');
INSERT INTO maxin_players VALUES(4,2,'cy','active','{}',1700000003.0,'fc4593db3fd471a466346b38d5daa3b8');
CREATE TABLE maxin_asked (
  seq INTEGER NOT NULL,
  "match" BIGINT NOT NULL,
  first INTEGER NOT NULL,
  second INTEGER NOT NULL,
  seed BIGINT NOT NULL,
  worker TEXT NOT NULL,
  time FLOAT NOT NULL,
  digest TEXT,
  PRIMARY KEY (seq)
);
INSERT INTO maxin_asked VALUES(5,1,2,1,184785996,'me',1700000011.0,'81e72ed70e88a1c9736c28471d154c59');
INSERT INTO maxin_asked VALUES(7,2,0,1,504589498,'me',1700000017.0,'d2db4329c835da0bdb2a1fd0509d5b0f');
INSERT INTO maxin_asked VALUES(9,3,1,0,1733098030,'me',1700000021.0,'1ce7bdf061f668977f2b7f180977301e');
INSERT INTO maxin_asked VALUES(11,4,0,2,1667856941,'me',1700000025.0,'8cac26ab9a6d833c641e8caea0eeab3b');
INSERT INTO maxin_asked VALUES(15,5,0,1,501302448,'me',1700000032.0,'a0dbad554a1de1ac8a1642a624fe7090');
INSERT INTO maxin_asked VALUES(17,6,2,0,462207137,'me',1700000038.0,'d762580986a98a4b9c672c70a33d092b');
CREATE TABLE maxin_told (
  seq INTEGER NOT NULL,
  "match" BIGINT,
  first INTEGER NOT NULL,
  second INTEGER NOT NULL,
  score FLOAT NOT NULL,
  games TEXT,
  errors TEXT,
  data TEXT,
  source TEXT,
  line BIGINT,
  worker TEXT NOT NULL,
  time FLOAT NOT NULL,
  digest TEXT,
  PRIMARY KEY (seq),
  UNIQUE ("match"),
  UNIQUE (source, line)
);
INSERT INTO maxin_told VALUES(6,1,2,1,0.75,'[1.0, 0.5]',NULL,NULL,NULL,NULL,'me',1700000012.0,'368bbc85812dc7bd195ea0d684898150');
INSERT INTO maxin_told VALUES(8,2,0,1,0.0,'[0.0, 0.0]',NULL,NULL,NULL,NULL,'me',1700000018.0,'86dc9a065dae372e77d930ceb847a4d1');
INSERT INTO maxin_told VALUES(10,3,1,0,0.5,NULL,NULL,'{"plies": 12}',NULL,NULL,'me',1700000022.0,'931bdea9b43011763ea6367b07468b30');
INSERT INTO maxin_told VALUES(12,4,0,2,1.0,'[1.0, 1.0]',NULL,NULL,NULL,NULL,'me',1700000026.0,'cb9887e5a2166850347a640c01004fed');
INSERT INTO maxin_told VALUES(13,NULL,0,1,1.0,NULL,NULL,NULL,'last-year.csv',1,'me',1700000027.0,'e4e2f40f9636c150ecc816e9a2c387fd');
INSERT INTO maxin_told VALUES(14,NULL,1,2,0.5,NULL,NULL,NULL,'last-year.csv',2,'me',1700000027.0,'53d600abc2c336811f743ed5c76a8bd8');
CREATE TABLE maxin_events (
  seq INTEGER NOT NULL,
  kind TEXT NOT NULL,
  "match" BIGINT,
  player INTEGER,
  first INTEGER,
  second INTEGER,
  detail TEXT NOT NULL,
  time FLOAT NOT NULL,
  digest TEXT,
  PRIMARY KEY (seq)
);
INSERT INTO maxin_events VALUES(1,'settings',NULL,NULL,NULL,NULL,'{"goal": "best", "scheduler": "top-two", "seed": 7, "games_per_match": 2, "first_advantage": false, "lag": 0, "min_matches": 0, "match": "by hand", "players": ["anna", "bo", "cy"]}',1700000003.0,'c2e81a92be83371ab645fd90b54adb2b');
INSERT INTO maxin_events VALUES(16,'void',5,NULL,NULL,NULL,'{"reason": "no time"}',1700000033.0,'ec471cab8a5483de957e5f976368fb41');
CREATE TABLE maxin_leases (
  "match" BIGINT NOT NULL,
  worker TEXT NOT NULL,
  since FLOAT NOT NULL,
  until FLOAT NOT NULL,
  boot TEXT DEFAULT '' NOT NULL,
  uptime FLOAT DEFAULT '0' NOT NULL,
  PRIMARY KEY ("match")
);
INSERT INTO maxin_leases VALUES(6,'me',1700000038.0,1700000638.0,'995671cd-aef9-4e16-bdb1-439f2f76132f',35068.889999999999418);
CREATE TABLE maxin_snapshots (
  seq INTEGER NOT NULL,
  fingerprint TEXT NOT NULL,
  state BLOB NOT NULL,
  PRIMARY KEY (seq)
);
CREATE INDEX maxin_asked_match ON maxin_asked ("match");
